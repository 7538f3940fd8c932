// The entry points, factories and accounts of ERC-4337's authors on a running chain, as their packages have compiled them. The
// deterministic deployer gives the entry points their addresses of all chains.
import entryPoint06 from 'account-abstraction-0.6/artifacts/EntryPoint.json' with { type: 'json' }
import factory06 from 'account-abstraction-0.6/artifacts/SimpleAccountFactory.json' with { type: 'json' }
import entryPoint07 from 'account-abstraction-0.7/artifacts/EntryPoint.json' with { type: 'json' }
import factory07 from 'account-abstraction-0.7/artifacts/SimpleAccountFactory.json' with { type: 'json' }
import entryPoint08 from 'account-abstraction-0.8/artifacts/EntryPoint.json' with { type: 'json' }
import factory08 from 'account-abstraction-0.8/artifacts/SimpleAccountFactory.json' with { type: 'json' }
import {
  type Abi,
  concatHex,
  encodeFunctionData,
  getAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseEther,
  parseEventLogs,
  parseGwei,
} from 'viem'
import { entryPoint07Abi } from 'viem/account-abstraction'
import { asm } from './assembler.ts'
import type { withClients } from './chain.ts'

type Version = '0.6' | '0.7' | '0.8'
export const VERSIONS: readonly Version[] = ['0.6', '0.7', '0.8']

/** Deployer of EIP-2470's kind: salt and init code are its input. */
const DEPLOYER = '0x4e59b44847b379578588920cA78FbF26c0B4956C'

type Artifact = { readonly abi: unknown; readonly bytecode: string }
type Release = { readonly entryPoint: Artifact; readonly factory: Artifact; readonly salt: Hex; readonly address: Hex }
/** Salts and addresses are of the announcements of the releases. */
const RELEASES: Readonly<Record<Version, Release>> = {
  '0.6': {
    entryPoint: entryPoint06,
    factory: factory06,
    salt: numberToHex(0, { size: 32 }),
    address: '0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789',
  },
  '0.7': {
    entryPoint: entryPoint07,
    factory: factory07,
    salt: '0x90d8084deab30c2a37c45e8d47f49f2f7965183cb6990a98943ef94940681de3',
    address: '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  },
  '0.8': {
    entryPoint: entryPoint08,
    factory: factory08,
    salt: '0x0a59dbff790c23c976a548690c27297883cc66b4c67024f9117b0238995e35e9',
    address: '0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108',
  },
}
const codeOf = ({ bytecode }: Artifact): Hex => `0x${bytecode.slice(2)}`
const abiOf = ({ abi }: Artifact): Abi => abi as Abi

const account = parseAbi(['function execute(address dest, uint256 value, bytes func)'])
const factory = parseAbi([
  'function createAccount(address owner, uint256 salt) returns (address)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
])

/** Answers `validatePaymasterUserOp` with an empty context and validation data 0. */
export const GENEROUS = asm(...['PUSH1 0x40', 'PUSH0', 'MSTORE', 'PUSH1 0x60', 'PUSH0', 'RETURN'])

const LIMITS = {
  verification: 600_000n,
  call: 200_000n,
  preVerification: 50_000n,
  fee: parseGwei('4'),
  tip: parseGwei('1'),
}

type Wanted = {
  /** Index of the owner's key, and salt of its account. */
  readonly owner: number
  readonly salt?: bigint
  readonly paymaster?: Hex
  readonly callData?: Hex
}
/** The struct of an operation, as the functions of its entry point take it, and its hash. */
export type Signed = {
  readonly struct: Readonly<Record<string, unknown>>
  readonly hash: Hex
  readonly sender: Hex
  /** The operation as viem has it. */
  readonly forViem: Readonly<Record<string, unknown>>
}

/** A call of an account of ERC-4337's authors. */
export const executeData = (dest: Hex, value: bigint, func: Hex = '0x'): Hex =>
  encodeFunctionData({ abi: account, args: [dest, value, func] })

/** Deploys the contracts of a release; `elsewhere`: with the entry point at another address. */
export async function accountAbstraction(
  chain: Pick<ReturnType<typeof withClients>, 'viem' | 'walletOf'>,
  version: Version,
  { elsewhere = false } = {},
) {
  const { viem } = chain
  const release = RELEASES[version]
  const wallet = chain.walletOf(0)
  const mined = (hash: Hex) => viem.waitForTransactionReceipt({ hash })
  const deployed = async (of: Artifact, args: readonly unknown[] = []): Promise<Hex> => {
    const hash = await wallet.deployContract({ abi: abiOf(of), bytecode: codeOf(of), args })
    return (await mined(hash)).contractAddress ?? '0x'
  }
  if (!elsewhere && (await viem.getCode({ address: release.address })) === undefined)
    await mined(
      await wallet.sendTransaction({ to: DEPLOYER, data: concatHex([release.salt, codeOf(release.entryPoint)]) }),
    )
  const entryPoint = elsewhere ? getAddress(await deployed(release.entryPoint)) : release.address
  const factoryAddress = await deployed(release.factory, [entryPoint])
  const abi = abiOf(release.entryPoint)
  const read = (functionName: string, args: readonly unknown[]) =>
    viem.readContract({ address: entryPoint, abi, functionName, args })

  const senderOf = (owner: number, salt = 0n) =>
    viem.readContract({
      address: factoryAddress,
      abi: factory,
      functionName: 'getAddress',
      args: [chain.walletOf(owner).account.address, salt],
    })

  /** An operation, signed by its owner. The first one of an account deploys it. */
  async function signed({ owner, salt = 0n, paymaster, callData = '0x' }: Wanted): Promise<Signed> {
    const { account: key } = chain.walletOf(owner)
    const sender = await senderOf(owner, salt)
    const isNew = (await viem.getCode({ address: sender })) === undefined
    const creation = encodeFunctionData({ abi: factory, functionName: 'createAccount', args: [key.address, salt] })
    const word = (high: bigint, low: bigint) => numberToHex((high << 128n) | low, { size: 32 })
    const { verification, call, preVerification, fee, tip } = LIMITS
    const sponsored = paymaster === undefined ? '0x' : paymaster
    const limits =
      version === '0.6'
        ? {
            callGasLimit: call,
            verificationGasLimit: verification,
            maxFeePerGas: fee,
            maxPriorityFeePerGas: tip,
            paymasterAndData: sponsored,
          }
        : {
            accountGasLimits: word(verification, call),
            gasFees: word(tip, fee),
            paymasterAndData: paymaster === undefined ? '0x' : concatHex([paymaster, word(100_000n, 50_000n)]),
          }
    const struct = {
      sender,
      nonce: await read('getNonce', [sender, 0n]),
      initCode: isNew ? concatHex([factoryAddress, creation]) : '0x',
      callData,
      preVerificationGas: preVerification,
      ...limits,
      signature: '0x' as Hex,
    }
    const hash = (await read('getUserOpHash', [struct])) as Hex
    // Since 0.8 the hash is one of EIP-712; before, owners sign it as a message.
    struct.signature = version === '0.8' ? await key.sign({ hash }) : await key.signMessage({ message: { raw: hash } })
    return {
      struct,
      hash,
      sender,
      forViem: viemForm(struct, isNew ? [factoryAddress, creation] : undefined, paymaster),
    }
  }

  const viemForm = (
    struct: Record<string, unknown>,
    made: readonly [Hex, Hex] | undefined,
    paymaster: Hex | undefined,
  ) => ({
    ...struct,
    callGasLimit: LIMITS.call,
    verificationGasLimit: LIMITS.verification,
    maxFeePerGas: LIMITS.fee,
    maxPriorityFeePerGas: LIMITS.tip,
    ...(version !== '0.6' && {
      ...(made && { factory: made[0], factoryData: made[1] }),
      ...(paymaster && { paymaster, paymasterVerificationGasLimit: 100_000n, paymasterPostOpGasLimit: 50_000n }),
    }),
  })

  /** The input of the call with these operations. */
  const bundleData = (operations: readonly Signed[], beneficiary: Hex): Hex =>
    encodeFunctionData({ abi, functionName: 'handleOps', args: [operations.map(({ struct }) => struct), beneficiary] })

  return {
    version,
    abi,
    entryPoint,
    factory: getAddress(factoryAddress),
    senderOf,
    signed,
    bundleData,
    /** Gives an account or paymaster a deposit. */
    deposit: async (of: Hex, value = parseEther('1')) =>
      mined(
        await wallet.writeContract({
          address: entryPoint,
          abi,
          functionName: 'depositTo',
          args: [of],
          value,
          gas: 200_000n,
        }),
      ),
    /** Sends a bundle; the receipt of its transaction. */
    handle: async (operations: readonly Signed[], beneficiary: Hex, to: Hex = entryPoint) =>
      mined(await wallet.sendTransaction({ to, data: bundleData(operations, beneficiary), gas: 8_000_000n })),
    /** The events of operations in a receipt. */
    eventsOf: (receipt: Awaited<ReturnType<typeof mined>>) =>
      parseEventLogs({ abi: entryPoint07Abi, logs: receipt.logs, eventName: 'UserOperationEvent' }),
  }
}
