// `kestrel call` and `kestrel send`: the functions of all native contracts from a shell, driven by their ABIs.
import type { AbiFunction } from 'abitype'
import type { Command } from 'commander'
import { z } from 'zod'
import { PRECOMPILES, precompilesWith } from '../precompiles/index.ts'
import { integer, readFlags } from './flags.ts'
import { answerLines, namedValues, print } from './native/answers.ts'
import { readArguments } from './native/arguments.ts'
import {
  type Contract,
  contractNamed,
  declarationOf,
  functionsNamed,
  functionsOf,
  interfacesAt,
  isView,
} from './native/contracts.ts'
import {
  accountFlag,
  accountOfNode,
  addressOfSender,
  nodeFlags,
  oneSender,
  senderFlags,
  withNodeFlags,
  withSenderFlags,
} from './native/sender.ts'
import {
  blockOf,
  callContract,
  decodedEvents,
  estimateCall,
  readBaseDenom,
  requireContract,
  send,
  submit,
} from './native/transaction.ts'
import { type RpcClient, withNode } from './rpc-client.ts'

const ARGUMENTS = `
Without FUNCTION the functions of the contract are listed, without CONTRACT the contracts. Names may be shortened.
Arguments: addresses in hex or bech32, or \`me\` for the sender; 1.5KEST or 100akest (a number without a unit is base units);
yes, no, abstain or veto; lists separated by commas; JSON for structures. NAME=VALUE names a parameter. A page request may be
left out: the first 100 items. Before a negative number that is not named, write --.`

/** Registers `call`. */
export function registerCall(command: Command): void {
  withNodeFlags(
    withOperands(command)
      .option('--from <account>', 'caller: address or number of an account of the node (default: 0, if there is one)')
      .option('--block <number>', 'the state after this block (default: the newest)'),
  )
    .addHelpText(
      'after',
      `${ARGUMENTS}

Examples:
  kestrel call staking
  kestrel call staking delegation me 0xVALIDATOR
  kestrel call gov getProposal 1 --json`,
    )
    .action(callAction)
}

/** Registers `send`. */
export function registerSend(command: Command): void {
  withSenderFlags(withOperands(command).option('--wait', 'wait for the block and print the events'))
    .addHelpText(
      'after',
      `${ARGUMENTS}

Examples:
  kestrel send staking delegate me 0xVALIDATOR 1.5KEST --wait
  kestrel send distribution withdrawDelegatorRewards delegatorAddress=me validatorAddress=0xVALIDATOR
  kestrel send gov vote me 1 yes ""`,
    )
    .action(sendAction)
}

const withOperands = (command: Command): Command =>
  command
    .argument('[contract]', PRECOMPILES.map(({ name }) => name).join(', '))
    .argument('[function]')
    .argument('[args...]')

type Target = { readonly contract: Contract; readonly functions: readonly AbiFunction[] }

type Operands = { readonly contractText: string | undefined; readonly functionText: string | undefined }

/** The contract and functions that the operands name; undefined if they were listed instead. */
async function targetOf({ contractText, functionText }: Operands, url: string, json: boolean) {
  const interfaces = await interfacesAt(url)
  if (contractText === undefined) {
    const listed = precompilesWith(interfaces).map(({ name, address }) => ({ name, address }))
    const lines = listed.map(({ name, address }) => `${name.padEnd(14)} ${address}`)
    return void print(json, listed, lines)
  }
  const contract = contractNamed(contractText, interfaces)
  if (functionText !== undefined) return { contract, functions: functionsNamed(contract, functionText) }
  const listed = functionsOf(contract)
  return void print(
    json,
    listed,
    listed.map((abi) => `${isView(abi) ? 'call' : 'send'}  ${declarationOf(abi)}`),
  )
}

const callFlags = z.object({
  ...nodeFlags,
  from: accountFlag.optional(),
  block: integer(0n, 2n ** 64n - 1n).optional(),
})

async function callAction(
  contractText: string | undefined,
  functionText: string | undefined,
  texts: string[],
  given: unknown,
) {
  const { rpcUrl, json, from, block } = readFlags(callFlags, given)
  const target = await targetOf({ contractText, functionText }, rpcUrl, json)
  if (target === undefined) return
  await withNode(rpcUrl, async (node) => {
    const me = from === undefined ? (await node.viem.getAddresses())[0] : await accountOfNode(node, from)
    const { base, ...call } = await prepared(node, target, texts, me)
    const { outputs } = call.abi
    const values = namedValues(outputs, await callContract(node, call, { from: me, block }))
    print(json, values, outputs.length === 0 ? ['nothing'] : answerLines(outputs, values, base))
  })
}

/** The call with its parsed arguments. Throws WrongCommandLine, and ChainError if the chain lacks the contract. */
async function prepared(
  node: RpcClient,
  { contract, functions }: Target,
  texts: string[],
  me: `0x${string}` | undefined,
) {
  await requireContract(node, contract)
  const base = await readBaseDenom(node)
  return { contract, base, ...readArguments(functions, texts, { base, me }) }
}

const sendFlags = z.object({ ...senderFlags, wait: z.boolean().default(false) })

async function sendAction(
  contractText: string | undefined,
  functionText: string | undefined,
  texts: string[],
  given: unknown,
) {
  const flags = readFlags(sendFlags, given)
  const { rpcUrl, json, wait } = flags
  const target = await targetOf({ contractText, functionText }, rpcUrl, json)
  if (target === undefined) return
  await withNode(rpcUrl, async (node) => {
    const sender = await oneSender(node, flags)
    const { base, ...call } = await prepared(node, target, texts, addressOfSender(sender))
    const estimated = await estimateCall(node, sender, call)
    const named = { contract: call.contract.name, function: call.abi.name }
    if (!wait) {
      const transaction = await submit(node, estimated)
      return print(json, { ...named, transaction }, [`transaction  ${transaction}`])
    }
    const receipt = await send(node, estimated)
    const events = decodedEvents(receipt)
    const { transaction, block } = blockOf(receipt)
    const shown = events.map(({ contract, event, args }) => ({ contract, event: event.name, args }))
    print(json, { ...named, transaction, block, gasUsed: receipt.gasUsed, events: shown }, [
      `transaction  ${transaction}`,
      `block        ${block}, ${receipt.gasUsed} gas`,
      ...events.flatMap(({ event, args }) => [`event ${event.name}`, ...answerLines(event.inputs, args, base, '  ')]),
    ])
  })
}
