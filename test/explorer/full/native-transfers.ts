// Coins that native contracts move, from their logs; sender and recipient follow from the modules' rules.
import { createHash } from 'node:crypto'
import { decodeEventLog, getAddress, type Hex, type Log, parseAbi } from 'viem'
import { MIN } from '../../precompiles/gov-support.ts'

const MOVES = parseAbi([
  'event Delegate(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount, uint256 newShares)',
  'event WithdrawDelegatorRewards(address indexed delegatorAddress, string indexed validatorAddress, uint256 amount)',
  'event IBCTransfer(address indexed sender, string indexed receiver, string sourcePort, string sourceChannel, string denom, uint256 amount, string memo)',
  'event SubmitProposal(address indexed proposer, uint64 proposalId)',
])

const hashed = (text: string): Hex => getAddress(`0x${createHash('sha256').update(text).digest('hex').slice(0, 40)}`)

/** A channel's escrow address (ADR-028 of IBC). */
const escrow = (port: string, channel: string): Hex => hashed(`ics20-1\0${port}/${channel}`)

/** Whether a log is of one of the precompiles, whose addresses end in 0x800 to 0x805. */
const isNative = ({ address }: Log<bigint, number, false>): boolean => /^0x0{37}80[0-5]$/.test(address)

export function nativeTransfers(logs: readonly Log<bigint, number, false>[]) {
  return logs.filter(isNative).flatMap(({ topics, data }) => {
    const decoded = (() => {
      try {
        return decodeEventLog({ abi: MOVES, topics, data })
      } catch {
        // Other events do not move coins.
        return undefined
      }
    })()
    switch (decoded?.eventName) {
      case 'Delegate':
        return [{ from: decoded.args.delegatorAddress, to: hashed('bonded_tokens_pool'), value: decoded.args.amount }]
      case 'WithdrawDelegatorRewards':
        return [{ from: hashed('distribution'), to: decoded.args.delegatorAddress, value: decoded.args.amount }]
      case 'IBCTransfer': {
        const { sender, sourcePort, sourceChannel, amount } = decoded.args
        return [{ from: sender, to: escrow(sourcePort, sourceChannel), value: amount }]
      }
      // The log lacks the deposit, which in the scenario is the minimum.
      case 'SubmitProposal':
        return [{ from: decoded.args.proposer, to: hashed('gov'), value: MIN }]
      default:
        return []
    }
  })
}
