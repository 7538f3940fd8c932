// Nodes with different modules agree: a governance proposal that is refused or fails leaves the same state on all nodes.
import { encodeErrorResult, type Hex, keccak256, parseAbi } from 'viem'
import { expect, test } from 'vitest'
import type { Proposal } from '../../src/cip/define.ts'
import type { ProposalModule } from '../../src/cip/modules.ts'
import type { ChainSpec } from '../../src/spec/chain-spec.ts'
import { COIN, evmParams, GOV, govChain, spend, submit, VALIDATORS, vote, YES } from '../precompiles/gov-support.ts'
import { account } from '../support/chain.ts'
import { moduleOf, specWith } from './support.ts'

/** Calls governance with its calldata and stores keccak256 of the return data, revert or not, in slot 0. */
const KEEPER = '0x000000000000000000000000000000000000e001'
const KEEPER_CODE: Hex = `0x365f5f37${'5f5f365f5f'}73${GOV.slice(2)}5af150${'3d5f5f3e'}${'3d5f205f5500'}`
/** The voting period in seconds. */
const PERIOD = 30n

const proposal = (number: number, apply: Proposal['apply']): Proposal => ({ number, title: `no. ${number}`, apply })
const takes = (number: number, name: string): Proposal =>
  proposal(number, (table) => void table.define(0x0c, name, { execute: () => undefined }))

function specOf(setting: Parameters<typeof specWith>[0] = {}): ChainSpec {
  const spec = specWith({ ...setting, codes: { [KEEPER]: KEEPER_CODE } })
  if (spec.native === undefined) throw new Error('the preset has no native modules')
  const params = { votingPeriod: Number(PERIOD) }
  return { ...spec, native: { ...spec.native, modules: { ...spec.native.modules, gov: { params } } } }
}

/** A node that mines every transaction in a block one second after the last, so that two nodes make the same chain. */
async function steadyChain(spec: ChainSpec, modules: readonly ProposalModule[]) {
  const chain = await govChain({ spec, modules })
  const { viem, dev, send, mineAt } = chain
  const now = async () => (await viem.getBlock()).timestamp
  const step: typeof send = async (data, sending) => {
    await dev.setNextBlockTimestamp({ timestamp: (await now()) + 1n })
    return send(data, sending)
  }
  return {
    ...chain,
    step,
    /** All validators vote yes, and the voting period ends. */
    async pass(id: bigint) {
      for (const from of VALIDATORS) await step(vote(id, account(from).address, YES), { from })
      await mineAt((await now()) + PERIOD)
    },
    async blocks() {
      const head = await viem.getBlockNumber({ cacheTime: 0 })
      const numbers = Array.from({ length: Number(head) + 1 }, (_, number) => BigInt(number))
      return Promise.all(numbers.map(async (blockNumber) => (await viem.getBlock({ blockNumber })).stateRoot))
    },
  }
}

test('nodes with different modules reach the same state after a vote on an opcode proposal that one of them lacks', async () => {
  const spec = specOf()
  const histories = await Promise.all(
    [[], [moduleOf(takes(7, 'SEVEN'))]].map(async (modules) => {
      const { step, pass, blocks, proposal, failure, rpc } = await steadyChain(spec, modules)
      const unknown = submit([evmParams('kestrel_9')], { proposer: KEEPER, deposit: [] })
      expect((await step(unknown, { to: KEEPER })).status).toBe('success')
      expect((await step(submit([evmParams('kestrel_9')]))).status).toBe('reverted')

      const args = ['message 0: EIP kestrel_9 is not activateable'] as const
      const revert = encodeErrorResult({ abi: parseAbi(['error Error(string)']), errorName: 'Error', args })
      expect(await rpc('eth_getStorageAt', KEEPER, '0x0', 'latest')).toBe(keccak256(revert))

      // The second message fails: no account has this balance.
      const { status } = await step(submit([evmParams('kestrel_0'), spend(KEEPER, 10n ** 9n * COIN)]))
      expect(status).toBe('success')
      await pass(1n)
      // 5: failed.
      const words = 'message 1: community pool does not have sufficient coins to distribute'
      expect([(await proposal(1n)).status, await failure(1n)]).toEqual([5, words])
      const known = (await rpc('kestrel_getProposals')) as { name: string }[]
      return { roots: await blocks(), known: known.map(({ name }) => name) }
    }),
  )
  const [without, having] = histories
  expect(having?.roots).toEqual(without?.roots)
  expect(having?.roots.length).toBeGreaterThan(6)
  // Control: the nodes know different opcode proposals.
  expect(having?.known).toEqual([...(without?.known ?? []), 'kestrel_7'])
})

test('a voted list that conflicts with a later upgrade fails with a fixed message', async () => {
  const change = { addProposals: [], removeProposals: [] }
  const upgrades = [
    // Before block 8 the list would be replaced by it, so that the upgrade of block 1000 would not conflict.
    { ...change, name: 'empty', height: 8n, params: { activeProposals: [] } },
    { ...change, name: 'later', height: 1_000n, addProposals: ['kestrel_7'] },
  ]
  const modules = [moduleOf(takes(7, 'SEVEN'), takes(8, 'EIGHT'))]
  const { step, pass, mineAt, proposal, failure, rpc, viem } = await steadyChain(specOf({ upgrades }), modules)
  expect((await step(submit([evmParams('kestrel_8')]))).status).toBe('success')
  for (let block = 2n; block <= 8n; block++) await mineAt((await viem.getBlock()).timestamp + 1n)
  await pass(1n)
  const words = 'message 0: the list of improvement proposals cannot be activated'
  expect([(await proposal(1n)).status, await failure(1n)]).toEqual([5, words])
  expect(await rpc('kestrel_getEvmParams')).toEqual({ extraEips: [] })
  // The chain continues, and accepts another list.
  expect((await step(submit([evmParams('kestrel_7')]))).status).toBe('success')
})

test('an error of a user’s opcode does not get into revert data', async () => {
  const throwing = proposal(9, (table) => {
    table.define(0x0c, 'THROW', {
      execute: () => {
        throw new Error('words of a module')
      },
    })
  })
  // A call of this token's name() runs the opcode.
  const TOKEN = '0x000000000000000000000000000000000000e002'
  const spec = specWith({ active: ['kestrel_9'], codes: { [TOKEN]: '0x0c' } })
  const { refusal } = await govChain({ spec, modules: [moduleOf(throwing)] })
  const register = {
    '@type': '/evmos.erc20.v1.MsgRegisterERC20',
    authority: '0x7b5Fe22B5446f7C62Ea27B8BD71CeF94e03f3dF2',
  }
  const data = submit([{ ...register, erc20addresses: [TOKEN] }])
  expect(await refusal(data)).toBe('call of 0x000000000000000000000000000000000000e002 failed: execution failed')
})
