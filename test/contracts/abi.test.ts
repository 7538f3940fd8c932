import { AbiCoder, Interface, id, ParamType, toUtf8Bytes } from 'ethers'
import fc from 'fast-check'
import { type Abi, type AbiParameter, parseAbi } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import stakingAbi from '../../solidity/abi/Staking.json' with { type: 'json' }
import {
  type ContractsContext,
  contractAbi,
  contractName,
  decodeInput,
  decodeLog,
  decodeRevert,
  isVerified,
  methodName,
  selectorsByName,
  verifiedByName,
} from '../../src/contracts/abi.ts'
import { type DecodedValue, decodeValues } from '../../src/contracts/abi-decoding.ts'
import { indexOf } from '../../src/contracts/abi-index.ts'
import { knownAbi } from '../../src/contracts/known-abis.ts'
import { VerifiedContracts } from '../../src/contracts/verified-contracts.ts'
import { type Address, fromHex, type Hash, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { keccakHash } from '../../src/lib/keccak.ts'
import { FACTORIES } from '../../src/spec/preinstalls.ts'
import { presets } from '../../src/spec/presets.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { alice, bob, emptyView } from '../support/native.ts'
import { plainSpec } from '../support/plain-spec.ts'

const CAROL = '0x8ba1f109551bD432803012645Ac136ddd64DBA72'
const carol = hexToAddress(CAROL)
const unverified = hexToAddress(`0x${'77'.repeat(20)}`)
const CODE = Uint8Array.of(0x60, 0x00)

/** A state with one verified contract at alice's address. */
async function world(abi: Abi = [], name = 'Verified'): Promise<ContractsContext> {
  const store = await openMemoryStore()
  const view = await emptyView()
  view.setCode(alice, CODE)
  view.setCode(unverified, CODE)
  const contracts = await VerifiedContracts.load(store)
  await contracts.add(alice, {
    codeHash: keccakHash(CODE),
    match: 'exact',
    name,
    path: 'a.sol',
    language: 'solidity',
    runs: 200,
    compilerVersion: 'v0.8.37+commit.f401782d',
    isOptimized: false,
    evmVersion: 'default',
    licence: 'none',
    abi,
    libraries: [],
    creationSize: undefined,
    verifiedAt: 1,
    input: { language: 'Solidity', sources: {}, settings: {} },
  })
  return { view, spec: presets.kestrel(), verification: { contracts } }
}

let known: ContractsContext
beforeAll(async () => {
  known = await world()
})

const bytes = (hex: string): Uint8Array => fromHex(hex)
const call = (signature: string, args: readonly unknown[]): Uint8Array => {
  const face = new Interface([signature])
  return bytes(face.encodeFunctionData(face.fragments[0]?.format('sighash') ?? '', args))
}

describe('decoded calls', () => {
  it('have the format of the specification', () => {
    const input = call('function transfer(address to, uint256 value)', [CAROL, 10n ** 24n])
    expect(decodeInput(known, unverified, input)).toEqual({
      method_id: 'a9059cbb',
      method_call: 'transfer(address to, uint256 value)',
      parameters: [
        { name: 'to', type: 'address', value: CAROL },
        { name: 'value', type: 'uint256', value: '1000000000000000000000000' },
      ],
    })
  })

  it('show tuples and arrays as arrays, scalars as text', async () => {
    const signature =
      'function fill((uint256 id, (string note, bytes data)[] items) order, address[2] pair, bool[] flags, int8 small, bytes3 tag, uint256[][] grid)'
    const of = await world(parseAbi([signature] as readonly string[]) as Abi)
    const input = call(signature, [
      [
        7n,
        [
          ['ünï', '0x0102'],
          ['', '0x'],
        ],
      ],
      [CAROL, `0x${'00'.repeat(20)}`],
      [true, false],
      -128,
      '0xabcdef',
      [[1n], [], [2n, 3n]],
    ])
    const decoded = decodeInput(of, alice, input)
    expect(decoded?.method_call).toBe(
      'fill((uint256,(string,bytes)[]) order, address[2] pair, bool[] flags, int8 small, bytes3 tag, uint256[][] grid)',
    )
    expect(decoded?.parameters.map(({ type, value }) => [type, value])).toEqual([
      [
        '(uint256,(string,bytes)[])',
        [
          '7',
          [
            ['ünï', '0x0102'],
            ['', '0x'],
          ],
        ],
      ],
      ['address[2]', [CAROL, `0x${'00'.repeat(20)}`]],
      ['bool[]', ['true', 'false']],
      ['int8', '-128'],
      ['bytes3', '0xabcdef'],
      ['uint256[][]', [['1'], [], ['2', '3']]],
    ])
  })

  it('replace invalid UTF-8', () => {
    // A string argument with the bytes 0xff 0xfe.
    const input = Buffer.concat([
      bytes('0xd204c45e'), // safeMint(address,string)
      bytes(new AbiCoder().encode(['address', 'bytes'], [CAROL, '0x41fffe'])),
    ])
    expect(id('safeMint(address,string)').slice(0, 10)).toBe('0xd204c45e')
    expect(decodeInput(known, unverified, input)?.parameters[1]?.value).toBe('A\ufffd\ufffd')
  })

  it('of an unknown contract are guessed only if every byte fits', async () => {
    const signature = 'function transfer(address to, uint256 value)'
    const input = Buffer.concat([call(signature, [CAROL, 1n]), Uint8Array.of(1)])
    expect(decodeInput(known, unverified, input)).toBeNull()
    const of = await world(parseAbi([signature] as readonly string[]) as Abi)
    expect(decodeInput(of, alice, input)?.method_id).toBe('a9059cbb')
    const dirty = call(signature, [CAROL, 1n])
    dirty[4] = 1
    expect(decodeInput(known, unverified, dirty)).toBeNull()
  })

  it('use ABIs of other verified contracts', async () => {
    const signature = 'function quuxify(uint8 level)'
    const of = await world(parseAbi([signature] as readonly string[]) as Abi)
    expect(decodeInput(of, unverified, call(signature, [3]))?.method_call).toBe('quuxify(uint8 level)')
    expect(decodeInput(known, unverified, call(signature, [3]))).toBeNull()
  })

  it('of native contracts use the published ABI', () => {
    const staking = hexToAddress('0x0000000000000000000000000000000000000800')
    const input = new Interface(stakingAbi).encodeFunctionData('delegate', [CAROL, 'kestvaloper1xyz', 5n])
    expect(decodeInput(known, staking, bytes(input))).toMatchObject({
      method_call: 'delegate(address delegatorAddress, string validatorAddress, uint256 amount)',
      parameters: [{ value: CAROL }, { value: 'kestvaloper1xyz' }, { value: '5' }],
    })
    expect(contractName(known, staking)).toBe('Staking')
    const plain = { ...known, spec: plainSpec(CAROL) }
    expect(contractAbi(plain, staking)).toBeUndefined()
    expect(contractName(plain, staking)).toBeUndefined()
  })

  it('are null if the input is too short for a selector, or the selector is unknown', () => {
    for (const input of ['0x', '0xa9059c', '0xa9059cbb', '0x12345678']) {
      expect(decodeInput(known, unverified, bytes(input)), input).toBeNull()
    }
  })
})

describe('decoded logs', () => {
  const topic = (address: string): Hash => `0x${'00'.repeat(12)}${address.slice(2).toLowerCase()}` as Hash
  const word = (value: bigint): Hash => `0x${value.toString(16).padStart(64, '0')}` as Hash
  const transfer = id('Transfer(address,address,uint256)') as Hash

  it('distinguish ERC-20 from ERC-721 by the number of topics', () => {
    const log = { address: unverified, topics: [transfer, topic(CAROL), topic(bob)], data: bytes(word(5n)) }
    expect(decodeLog(known, log)).toMatchObject({
      method_id: 'ddf252ad',
      method_call: 'Transfer(address indexed from, address indexed to, uint256 value)',
      parameters: [
        { name: 'from', type: 'address', value: CAROL, indexed: true },
        { name: 'to', type: 'address', indexed: true },
        { name: 'value', type: 'uint256', value: '5', indexed: false },
      ],
    })
    const nft = { address: unverified, topics: [transfer, topic(CAROL), topic(bob), word(9n)], data: bytes('0x') }
    expect(decodeLog(known, nft)?.parameters[2]).toEqual({
      name: 'tokenId',
      type: 'uint256',
      value: '9',
      indexed: true,
    })
  })

  it('show the topic for indexed dynamic types', async () => {
    const event = 'event Named(string indexed name, uint256[] indexed list, string text)'
    const of = await world(parseAbi([event]))
    const topics = [id('Named(string,uint256[],string)'), id('kestrel'), id('list')] as Hash[]
    const log = { address: alice, topics, data: bytes(new AbiCoder().encode(['string'], ['hello'])) }
    expect(decodeLog(of, log)?.parameters.map(({ value }) => value)).toEqual([id('kestrel'), id('list'), 'hello'])
  })

  it('are null without a topic, with an unknown one, or with bytes that do not fit', () => {
    expect(decodeLog(known, { address: unverified, topics: [], data: bytes('0x') })).toBeNull()
    expect(decodeLog(known, { address: unverified, topics: [word(1n)], data: bytes('0x') })).toBeNull()
    const dirty = { address: unverified, topics: [transfer, word(2n ** 160n), topic(bob)], data: bytes(word(5n)) }
    expect(decodeLog(known, dirty)).toBeNull()
    const short = { address: unverified, topics: [transfer, topic(CAROL), topic(bob)], data: bytes('0x05') }
    expect(decodeLog(known, short)).toBeNull()
  })
})

describe('decoded revert reasons', () => {
  const face = new Interface([
    'error Error(string reason)',
    'error Panic(uint256 code)',
    'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
    'error Frozen(uint64 until)',
  ])

  it("are those of Solidity, standard errors, and the contract's errors", async () => {
    expect(decodeRevert(known, undefined, bytes(face.encodeErrorResult('Error', ['no'])))).toEqual({
      method_id: '08c379a0',
      method_call: 'Error(string reason)',
      parameters: [{ name: 'reason', type: 'string', value: 'no' }],
    })
    const panic = decodeRevert(known, unverified, bytes(face.encodeErrorResult('Panic', [0x11n])))
    expect(panic).toMatchObject({ method_id: '4e487b71', parameters: [{ value: '17' }] })
    const balance = bytes(face.encodeErrorResult('ERC20InsufficientBalance', [CAROL, 1n, 2n]))
    expect(decodeRevert(known, unverified, balance)?.parameters.map(({ value }) => value)).toEqual([CAROL, '1', '2'])
    const frozen = bytes(face.encodeErrorResult('Frozen', [3n]))
    expect(decodeRevert(known, alice, frozen)).toBeNull()
    expect(decodeRevert(await world(parseAbi(['error Frozen(uint64 until)'])), alice, frozen)?.method_call).toBe(
      'Frozen(uint64 until)',
    )
  })
})

describe('names of methods and contracts', () => {
  it('of methods are found by selector, and selectors by name', async () => {
    expect(methodName(known, unverified, '0xa9059cbb')).toBe('transfer')
    expect(methodName(known, unverified, '0x12345678')).toBeUndefined()
    expect(selectorsByName(known, 'approve')).toContain('0x095ea7b3')
    const mints = ['mint(address,uint256)', 'mint(uint256)', 'mint(address,uint256,uint256,bytes)']
    expect(selectorsByName(known, 'mint')).toEqual(expect.arrayContaining(mints.map((of) => id(of).slice(0, 10))))
    expect(selectorsByName(known, '0xDEADBEEF')).toEqual(['0xdeadbeef'])
    expect(selectorsByName(known, 'quuxify')).toEqual([])
    const of = await world(parseAbi(['function quuxify(uint8 level)']))
    expect(selectorsByName(of, 'quuxify')).toEqual([id('quuxify(uint8)').slice(0, 10)])
    expect(selectorsByName(known, 'delegate')).toContain(id('delegate(address,string,uint256)').slice(0, 10))
  })

  it('of contracts are valid while the verified code exists', async () => {
    const of = await world([], 'Golden Eagle_V2')
    expect(contractName(of, alice)).toBe('Golden Eagle_V2')
    expect(isVerified(of, alice)).toBe(true)
    expect(verifiedByName(of, ['eag', 'gold']).map(({ address }) => address)).toEqual([alice])
    expect(verifiedByName(of, ['GOLD'])).toHaveLength(1)
    expect(verifiedByName(of, ['gold', 'falcon'])).toEqual([])
    of.view.setCode(alice, Uint8Array.of(0x00))
    expect(contractName(of, alice)).toBeUndefined()
    expect(isVerified(of, alice)).toBe(false)
    expect(verifiedByName(of, [])).toEqual([])
  })

  it('of factories belong to their code, not to their address', () => {
    const [factory] = FACTORIES.filter(({ name }) => name === 'Multicall3')
    if (factory === undefined) throw new Error('there is no Multicall3')
    expect(contractName(known, factory.address)).toBeUndefined()
    known.view.setCode(factory.address, factory.code)
    expect(contractName(known, factory.address)).toBe('Multicall3')
    expect(isVerified(known, factory.address)).toBe(false)
  })
})

it('the selector of every signature is that of ethers', () => {
  const face = new Interface(knownAbi() as unknown as string[])
  const index = indexOf(knownAbi())
  const fragments = face.fragments.filter(({ type }) => ['function', 'event', 'error'].includes(type))
  expect(fragments.length).toBeGreaterThan(200)
  for (const fragment of fragments) {
    const signature = fragment.format('sighash')
    const hash = id(signature) as Hash
    const selector = hash.slice(0, 10) as `0x${string}`
    const found =
      fragment.type === 'event'
        ? index.events.get(hash)
        : index[fragment.type === 'error' ? 'errors' : 'functions'].get(selector)
    expect(
      found?.map((described) => described.signature),
      signature,
    ).toContain(signature)
  }
})

describe('decoded values', () => {
  type Sample = { readonly parameter: AbiParameter; readonly value: unknown; readonly shown: DecodedValue }

  const scalar: fc.Arbitrary<Sample> = fc.oneof(
    fc.tuple(fc.integer({ min: 1, max: 32 }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })).map(([size, raw]) => {
      const value = BigInt.asUintN(size * 8, raw)
      return { parameter: { type: `uint${size * 8}` }, value, shown: value.toString() }
    }),
    fc.tuple(fc.integer({ min: 1, max: 32 }), fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })).map(([size, raw]) => {
      const value = BigInt.asIntN(size * 8, raw)
      return { parameter: { type: `int${size * 8}` }, value, shown: value.toString() }
    }),
    fc.boolean().map((value) => ({ parameter: { type: 'bool' }, value, shown: String(value) })),
    fc.constant({ parameter: { type: 'address' }, value: CAROL, shown: CAROL }),
    fc
      .string({ unit: 'grapheme', maxLength: 40 })
      .map((value) => ({ parameter: { type: 'string' }, value, shown: value })),
    fc.uint8Array({ maxLength: 70 }).map((value) => ({ parameter: { type: 'bytes' }, value, shown: toHex(value) })),
    fc
      .uint8Array({ minLength: 1, maxLength: 32 })
      .map((value) => ({ parameter: { type: `bytes${value.length}` }, value, shown: toHex(value) })),
  )
  const { sample } = fc.letrec<{ sample: Sample; array: Sample; tuple: Sample }>((tie) => ({
    sample: fc.oneof({ maxDepth: 3 }, scalar, tie('array'), tie('tuple')),
    array: fc.tuple(tie('sample'), fc.integer({ min: 0, max: 3 }), fc.boolean()).map(([of, length, isFixed]) => ({
      parameter: { ...of.parameter, type: `${of.parameter.type}[${isFixed && length > 0 ? length : ''}]` },
      value: Array.from({ length }, () => of.value),
      shown: Array.from({ length }, () => of.shown),
    })),
    tuple: fc.array(tie('sample'), { minLength: 1, maxLength: 3 }).map((of) => ({
      parameter: { type: 'tuple', components: of.map(({ parameter }, i) => ({ ...parameter, name: `f${i % 2}` })) },
      value: of.map(({ value }) => value),
      shown: of.map(({ shown }) => shown),
    })),
  }))

  it('equal the values that ethers encoded, for every type', () => {
    fc.assert(
      fc.property(fc.array(sample, { maxLength: 4 }), fc.constantFrom('exact', 'lenient'), (samples, strictness) => {
        const parameters = samples.map(({ parameter }) => parameter)
        const types = parameters.map((parameter) => ParamType.from(parameter))
        const data = bytes(
          new AbiCoder().encode(
            [...types],
            samples.map(({ value }) => value),
          ),
        )
        expect(decodeValues(parameters, data, strictness)).toEqual(samples.map(({ shown }) => shown))
      }),
      { numRuns: 200 },
    )
  })

  it('never throw', () => {
    const selectors = [...indexOf(knownAbi()).functions.keys()]
    fc.assert(
      fc.property(fc.constantFrom(...selectors), fc.uint8Array({ maxLength: 300 }), (selector, rest) => {
        const decoded = decodeInput(known, unverified, Buffer.concat([bytes(selector), rest]))
        expect(decoded === null || decoded.method_id === selector.slice(2)).toBe(true)
      }),
    )
    const whole = call('function multicall(bytes[] data)', [['0x01', toUtf8Bytes('more'), '0x']])
    for (let length = 0; length < whole.length; length++) {
      expect(decodeInput(known, unverified, whole.subarray(0, length)), `${length} bytes`).toBeNull()
    }
    expect(decodeInput(known, unverified, whole)).not.toBeNull()
  })
})

it('the name of a contract is returned only for the requested address', () => {
  expect(contractAbi(known, carol as Address)).toBeUndefined()
})
