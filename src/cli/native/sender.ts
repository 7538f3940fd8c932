// The sender of a command's transaction: an account whose key the node holds, or a key from a file that signs here and
// never leaves this process.
import { type Command, Option } from 'commander'
import { getAddress, type LocalAccount, type Address as ViemAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import { decodeBech32 } from '../../lib/bech32.ts'
import { type Address, hexToAddress, toAddress, toHex } from '../../lib/hex.ts'
import { stakingAbi } from '../../precompiles/generated/abi.ts'
import { stakingAbi as cosmosStakingAbi } from '../../precompiles/generated/cosmos-evm.ts'
import { entriesOf } from '../../precompiles/named-abi.ts'
import { unlockFile } from '../../wallet/keystore.ts'
import { readKey } from '../accounts.ts'
import { path, refuseFlag, wrongFlag } from '../flags.ts'
import { askPassword, readPasswords } from '../password.ts'
import { DEFAULT_RPC_URL, type RpcClient } from '../rpc-client.ts'
import { interfacesOf } from './contracts.ts'

/** An address, or the number of an account of the node. */
export const accountFlag = z.string().regex(/^(0x[0-9a-fA-F]{40}|\d{1,4})$/, 'expected an address or a number')

export const nodeFlags = {
  rpcUrl: z.string().regex(/^https?:\/\/\S+$/, 'expected a URL that begins with http:// or https://'),
  json: z.boolean().default(false),
}

/** A key that signs in this process. */
export const keyFlags = {
  privateKeyFile: path.optional(),
  keystore: path.optional(),
  passwordFile: path.optional(),
}

export type KeyFlags = z.output<z.ZodObject<typeof keyFlags>>

export const senderFlags = {
  ...nodeFlags,
  ...keyFlags,
  from: z
    .string()
    .regex(/^(0x[0-9a-fA-F]{40}|\d{1,4}|validators)$/, 'expected an address, a number or `validators`')
    .optional(),
}

export type SenderFlags = z.output<z.ZodObject<typeof senderFlags>>

/** Adds the flags of every command that connects to a node. */
export const withNodeFlags = (command: Command): Command =>
  command
    .optionsGroup('Node:')
    .addOption(new Option('--rpc-url <url>', "URL of the node's JSON-RPC").default(DEFAULT_RPC_URL, DEFAULT_RPC_URL))
    .option('--json', 'one JSON object on standard output, for machines')

/** Adds the flags of a key that signs in this process. */
export const withKeyFlags = (command: Command): Command =>
  command
    .addOption(new Option('--private-key-file <file>', 'sign with the key in a file').conflicts('keystore'))
    .option('--keystore <file>', 'sign with an encrypted key file')
    .option('--password-file <file>', 'password of the key file (default: ask)')

/** Adds the flags of every command that sends a transaction. */
export const withSenderFlags = (command: Command): Command =>
  withNodeFlags(
    withKeyFlags(
      command
        .optionsGroup('Sender:')
        .option('--from <account>', 'address or number of an account of the node, or `validators` (default: 0)'),
    ),
  )

/** An account with its key in this process, or the address of an account whose key the node holds. */
export type Sender = LocalAccount | ViemAddress

export const addressOfSender = (sender: Sender): ViemAddress => (typeof sender === 'string' ? sender : sender.address)

/** Whether `--from validators` was given: all bonded validators instead of one sender. */
export const isFromValidators = ({ from }: SenderFlags): boolean => from === 'validators'

/** The one sender that the flags name. Throws ChainError, naming the flag. */
export async function oneSender(node: RpcClient, flags: SenderFlags): Promise<Sender> {
  const { from } = flags
  if (isFromValidators(flags)) throw wrongFlag('from', '`validators` is only for votes; give one account')
  const account = await accountOfKey(flags)
  if (account === undefined) return accountOfNode(node, from ?? '0')
  if (from !== undefined && from.toLowerCase() !== account.address.toLowerCase())
    throw refuseFlag('from', `the key is that of ${account.address}`)
  return account
}

/** The account of the key that the flags name; undefined if they name none. Asks for a password. Throws ChainError. */
export async function accountOfKey(flags: KeyFlags): Promise<LocalAccount | undefined> {
  const { privateKeyFile, keystore } = flags
  if (privateKeyFile === undefined && keystore === undefined) return undefined
  return privateKeyToAccount(
    toHex(privateKeyFile === undefined ? await decrypted(keystore ?? '', flags) : await readKey(privateKeyFile)),
  )
}

async function decrypted(file: string, { passwordFile }: KeyFlags): Promise<Uint8Array> {
  const password = passwordFile === undefined ? undefined : (await readPasswords(passwordFile))(0)
  return unlockFile(file, password ?? (await askPassword(`Password of ${file}`)))
}

/** The address itself, or the account with this index in the node's list. */
export async function accountOfNode({ viem }: RpcClient, from: string): Promise<ViemAddress> {
  if (from.startsWith('0x')) return getAddress(from)
  const accounts = await viem.getAddresses()
  const account = accounts[Number(from)]
  if (account !== undefined) return account
  const holds =
    accounts.length === 0 ? 'the node holds no accounts' : `the node holds accounts 0 to ${accounts.length - 1}`
  throw refuseFlag('from', `${holds}; sign with --private-key-file or --keystore`)
}

const STAKING = '0x0000000000000000000000000000000000000800'
/** The operators of all bonded validators, whose votes count. */
export async function bondedOperators(node: RpcClient): Promise<Address[]> {
  const isCosmos = (await interfacesOf(node)) === 'cosmos-evm'
  const operators: Address[] = []
  let key: `0x${string}` = '0x'
  do {
    const request = { key, offset: 0n, limit: 100n, countTotal: false, reverse: false }
    const [validators, { nextKey }] = await node.viem.readContract({
      address: STAKING,
      abi: isCosmos ? entriesOf(cosmosStakingAbi) : entriesOf(stakingAbi),
      functionName: 'validators',
      args: ['BOND_STATUS_BONDED', request],
    })
    operators.push(...validators.map(({ operatorAddress }) => operatorAt(operatorAddress)))
    key = nextKey
  } while (key !== '0x')
  return operators
}

const operatorAt = (name: string): Address =>
  name.startsWith('0x') ? hexToAddress(name) : toAddress(decodeBech32(name).bytes)
