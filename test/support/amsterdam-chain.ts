// A plain chain with Amsterdam in its middle, the same at every run: blocks with transactions of all types, withdrawals and requests
// to system contracts. go-ethereum 1.17.10 has imported it (`geth import`): ACCEPTED are the hashes of its blocks.
import { privateKeyToAccount } from 'viem/accounts'
import { completeAttributes } from '../../src/chain/payload-attributes.ts'
import type { EngineChoice } from '../../src/evm/machine.ts'
import {
  type Address,
  bigToFixed,
  bigToWord,
  EMPTY_BYTES,
  fromHex,
  type Hex,
  hexToAddress,
  hexToHash,
  toHex,
} from '../../src/lib/hex.ts'
import { createAddress } from '../../src/primitives/create-address.ts'
import { signTransaction, type TransactionFields } from '../../src/primitives/transaction.ts'
import type { Authorization, Transaction } from '../../src/primitives/types.ts'
import { executeBlock } from '../../src/runtime/execute-block.ts'
import { Runtime } from '../../src/runtime/runtime.ts'
import type { ExecutedBlock, PayloadAttributes } from '../../src/runtime/types.ts'
import { SYSTEM_CONTRACT } from '../../src/spec/addresses.ts'
import type { GenesisSpec } from '../../src/spec/chain-spec.ts'
import { parseGenesisText } from '../../src/spec/genesis-file.ts'
import { FACTORIES } from '../../src/spec/preinstalls.ts'
import { openMemoryStore } from '../../src/state/kv.ts'
import { StateStore } from '../../src/state/state-store.ts'
import { genesisOn } from './genesis.ts'
import { plainGenesis, systemAlloc } from './plain-spec.ts'

const keys = [1, 2, 3, 4].map((key) => privateKeyToAccount(bigToWord(BigInt(key))))
const address = (tail: number): Address => hexToAddress(`0x${tail.toString(16).padStart(40, '0')}`)
const accountOf = (key: number) => hexToAddress(keys[key]?.address ?? '0x')
/** EIP-7997's factory. */
const DEPLOYER = hexToAddress('0x4e59b44847b379578588920ca78fbf26c0b4956c')
const GAS_LIMIT = 100_000_000n
const RICH = '0xd3c21bcecceda1000000'

/** The genesis file: Prague from block 0, Osaka with its blobs at second 20, Amsterdam at second 40; a block takes 12. */
export function amsterdamChainGenesis(): { readonly config: object; readonly [field: string]: unknown } {
  const genesis = plainGenesis(accountOf(0))
  return {
    ...genesis,
    config: { ...genesis.config, osakaTime: 20, amsterdamTime: 40, depositContractAddress: address(0) },
    gasLimit: toHex(bigToFixed(GAS_LIMIT, 4)),
    alloc: {
      ...systemAlloc('amsterdam'),
      [DEPLOYER]: {
        nonce: '0x1',
        balance: '0x0',
        code: toHex(FACTORIES.find(({ address }) => address === DEPLOYER)?.code ?? EMPTY_BYTES),
      },
      ...Object.fromEntries(keys.map((key) => [key.address, { balance: RICH }])),
    },
  }
}

export const amsterdamChainSpec = (): GenesisSpec => parseGenesisText(JSON.stringify(amsterdamChainGenesis()))

const pad = (value: number | bigint) => bigToWord(BigInt(value)).slice(2)
const hex = (...parts: string[]): Hex => `0x${parts.join('')}`
/** Init code that deploys this code of less than 256 bytes. */
const deploying = (code: string): Hex =>
  hex('60', (code.length / 2).toString(16).padStart(2, '0'), '8060095f395ff3', code)
/** With 64 bytes of input: SSTORE(first, second); else returns SLOAD(first). */
const STORE = '36604014601057' + '5f35545f5260205ff3' + '5b6020355f355500'
const store = (slot: number, value: number) => hex(pad(slot), pad(value))

type Step = { readonly attributes?: Partial<PayloadAttributes>; readonly transactions: readonly Transaction[] }

type Fields = Omit<Partial<TransactionFields>, 'data'> & { readonly data?: Hex }

class Signer {
  readonly #nonces = new Map<number, number>()

  #nonce(key: number): number {
    const nonce = this.#nonces.get(key) ?? 0
    this.#nonces.set(key, nonce + 1)
    return nonce
  }

  sign(key: number, { data = '0x', ...fields }: Fields): Transaction {
    const whole: TransactionFields = {
      type: 2,
      chainId: 1337n,
      nonce: fields.nonce ?? BigInt(this.#nonce(key)),
      to: null,
      value: 0n,
      gasLimit: 1_000_000n,
      maxFeePerGas: 3_000_000_000n,
      maxPriorityFeePerGas: 1_000_000_000n,
      accessList: [],
      blobVersionedHashes: [],
      maxFeePerBlobGas: 0n,
      authorizationList: [],
      ...fields,
      data: fromHex(data),
    }
    return signTransaction(whole, fromHex(bigToWord(BigInt(key + 1))))
  }

  /** Delegates an account to a contract. */
  async authorize(key: number, contract: Address, nonce = this.#nonce(key)): Promise<Authorization> {
    const signed = await keys[key]?.signAuthorization({ contractAddress: contract, chainId: 1337, nonce })
    if (signed === undefined) throw new Error(`there is no key ${key}`)
    return {
      chainId: 1337n,
      address: contract,
      nonce: BigInt(nonce),
      yParity: BigInt(signed.yParity ?? 0),
      r: BigInt(signed.r),
      s: BigInt(signed.s),
    }
  }
}

async function steps(signer: Signer): Promise<Step[]> {
  const [STORES, PROBES, DIES] = [0n, 1n, 2n].map((nonce) => createAddress(accountOf(0), nonce)) as [
    Address,
    Address,
    Address,
  ]
  const probe = [
    ...[`73${address(0xaaa1).slice(2)}3150`, `73${STORES.slice(2)}3f50`, `73${address(0xaaa2).slice(2)}3b50`],
    ...['5f5f5f5f60045afa50', '4750', `5f5f5f5f73${STORES.slice(2)}5af450`, '00'],
  ].join('')
  const dies = `73${address(0xbbb1).slice(2)}ff`
  const to = { to: STORES }
  return [
    {
      transactions: [
        signer.sign(0, { data: deploying(STORE) }),
        signer.sign(0, { data: deploying(probe) }),
        signer.sign(0, { data: deploying(dies), value: 7n }),
        signer.sign(1, { to: address(0xccc1), value: 5n, gasLimit: 21_000n }),
      ],
    },
    {
      transactions: [
        signer.sign(1, {
          type: 3,
          to: address(0xccc1),
          maxFeePerBlobGas: 10n,
          blobVersionedHashes: [hexToHash(hex('01', 'ab'.repeat(31)))],
        }),
        signer.sign(0, { ...to, data: store(1, 11) }),
      ],
    },
    {
      transactions: [
        signer.sign(0, { type: 4, to: accountOf(2), authorizationList: [await signer.authorize(2, STORES)] }),
      ],
    },
    {
      // The first block of Amsterdam.
      attributes: {
        coinbase: address(0xfee1),
        withdrawals: [
          { index: 0n, validatorIndex: 1n, address: address(0xddd1), amount: 3n },
          { index: 1n, validatorIndex: 2n, address: address(0xddd2), amount: 0n },
          { index: 2n, validatorIndex: 2n, address: accountOf(0), amount: 1n },
        ],
      },
      transactions: [
        signer.sign(1, { to: address(0xccc2), value: 5n }),
        signer.sign(1, { to: address(0xccc2), value: 5n }),
        signer.sign(0, { ...to, data: store(2, 22) }),
        signer.sign(1, { ...to, data: hex(pad(2)) }),
        signer.sign(1, { ...to, data: hex(pad(3)) }),
        signer.sign(0, { ...to, data: store(1, 0) }),
        signer.sign(0, { ...to, data: store(2, 22) }),
        signer.sign(1, { type: 0, to: PROBES, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n }),
        signer.sign(1, { to: DIES, value: 1n }),
      ],
    },
    {
      attributes: { coinbase: accountOf(1), parentBeaconBlockRoot: bigToWord(0xbeac0n) },
      transactions: [
        signer.sign(0, { data: deploying(STORE), value: 3n }),
        signer.sign(0, { data: hex(`73${address(0xbbb2).slice(2)}ff`), value: 9n }),
        signer.sign(0, { data: hex('30ff'), value: 9n }),
        signer.sign(0, { data: '0xfe', value: 9n }),
        signer.sign(0, { data: hex('60015f555f5ffd'), value: 9n }),
        signer.sign(0, { data: hex('6001600755'), gasLimit: 60_000n }),
        signer.sign(1, { to: DEPLOYER, data: hex(pad(1), deploying(STORE).slice(2)) }),
        signer.sign(1, { to: DEPLOYER, data: hex(pad(1), deploying(STORE).slice(2)) }),
        signer.sign(1, { ...to, data: store(4, 44), gasLimit: 30_000n }),
        signer.sign(1, {
          type: 1,
          ...to,
          maxFeePerGas: 2_000_000_000n,
          maxPriorityFeePerGas: 2_000_000_000n,
          data: store(5, 55),
          accessList: [
            { address: STORES, storageKeys: [bigToWord(5n), bigToWord(6n)] },
            { address: address(0xeee1), storageKeys: [] },
          ],
        }),
        signer.sign(2, { to: accountOf(2), data: store(1, 1) }),
        signer.sign(0, {
          type: 4,
          to: accountOf(2),
          data: store(2, 2),
          authorizationList: [
            await signer.authorize(2, address(0)),
            await signer.authorize(3, STORES),
            await signer.authorize(3, PROBES, 77),
          ],
        }),
        signer.sign(1, { to: accountOf(3), value: 1n, data: store(1, 1) }),
      ],
    },
    { attributes: { coinbase: address(0xfee1) }, transactions: [] },
    {
      attributes: { coinbase: address(0xfee2) },
      transactions: [
        signer.sign(0, {
          to: SYSTEM_CONTRACT.withdrawalRequests,
          value: 1n,
          data: hex('ab'.repeat(48), '00000000000000aa'),
        }),
        signer.sign(0, {
          to: SYSTEM_CONTRACT.withdrawalRequests,
          value: 100n,
          data: hex('ac'.repeat(48), '00000000000000ab'),
        }),
        signer.sign(0, { to: SYSTEM_CONTRACT.consolidationRequests, value: 100n, data: hex('cd'.repeat(96)) }),
        signer.sign(0, {
          to: SYSTEM_CONTRACT.builderDeposits,
          value: 10n ** 18n + 100n,
          data: hex('be'.repeat(80), '000000003b9aca00', 'bf'.repeat(96)),
        }),
        signer.sign(0, { to: SYSTEM_CONTRACT.builderExits, value: 100n, data: hex('ed'.repeat(48)) }),
        signer.sign(1, { to: SYSTEM_CONTRACT.builderDeposits, data: '0x' }),
        signer.sign(1, { ...to, data: store(2, 23) }),
        signer.sign(1, { ...to, data: store(2, 22) }),
        // More than the cap of execution gasLimit: what is above it is a reservoir of state gas.
        signer.sign(1, { ...to, data: store(9, 99), gasLimit: 40_000_000n }),
        // Refused: its nonce is too high. Nothing of it is in the access list.
        signer.sign(3, { nonce: 90n, to: address(0xfffff1), value: 1n }),
        signer.sign(1, { to: address(0xccc3), value: 5n, maxFeePerGas: 3_000_000_000n, maxPriorityFeePerGas: 0n }),
      ],
    },
    {
      attributes: { coinbase: address(0xfee3) },
      transactions: [signer.sign(1, { to: address(0xccc4), value: 5n, maxPriorityFeePerGas: 0n })],
    },
    {
      transactions: [
        signer.sign(1, { to: address(0xccc4), value: 5n }),
        // There is room: a gas limit above the cap of execution gas takes the cap of that, and all of it of the state gas.
        signer.sign(1, { ...to, data: store(10, 1), gasLimit: GAS_LIMIT }),
        // There is none: the transaction before has used state gas.
        signer.sign(0, { ...to, data: store(10, 2), gasLimit: GAS_LIMIT }),
      ],
    },
  ]
}

/** The blocks of the chain, from 1 on. */
export async function amsterdamChain(engine?: EngineChoice): Promise<ExecutedBlock[]> {
  const spec = amsterdamChainSpec()
  const view = new StateStore(await openMemoryStore(), -1).at(-1)
  let { header: parent } = genesisOn(view, spec)
  const runtime = new Runtime(spec, undefined, engine)
  const executed: ExecutedBlock[] = []
  for (const { attributes = {}, transactions } of await steps(new Signer())) {
    const timestamp = parent.timestamp + 12n
    const draft = completeAttributes(spec, parent, { timestamp }, attributes)
    const made = await executeBlock(runtime, view, draft, transactions, () => undefined)
    executed.push(made)
    parent = made.block.header
  }
  return executed
}

/** The hashes of the blocks 1 to 9. */
export const ACCEPTED = [
  '0xd53ad023545e2357f2e7071374ca272119cc75ebbe84c15228366a8df1b1815e',
  '0x719872a0bfb8fbd7b29586c9b41f3bb9ba2e86e5f21db63397316c2b9632da16',
  '0x9c93455790d1577594043901b8dc77df6478705525d64fcf690422e925c64030',
  '0x07cc635c0bfa36da4f572cadf46916814a24a209afd1108e07f972caafaa8557',
  '0xe0342a77b4bfc9b2cc22d2856f07c246c778710f4174a5a90ca4754a15b4a33f',
  '0xa73131900eec79fb354138f1903e99a45bf4b5a3b0e53904db933a661a30dcb7',
  '0xe80393d949c6916963b536a6f6db45237c2a1fbaed59fabef80f697fd5c14529',
  '0x216fe14f0980eba62d08a151d1e2b877fdb82cac39a989c84997c62e06c13387',
  '0x0d24e0e25cebba2ee10255537cc7be2985e195fe33b179be67ed8d90a63ce15d',
]
