// Logs in the library's words and in ours. The engine gathers ours; the library's are made of them when somebody asks.
import type { ExecResult, Log as LibLog } from '@ethereumjs/evm'
import { fromHex, toAddress, toHash } from '../lib/hex.ts'
import type { Log } from '../primitives/types.ts'

export const toLibLog = ({ address, topics, data }: Log): LibLog => [fromHex(address), topics.map(fromHex), data]

const fromLibLog = ([address, topics, data]: LibLog): Log => ({
  address: toAddress(address),
  topics: topics.map(toHash),
  data,
})

/** How code ended in the engine, as the library tells it. */
export class EngineResult implements ExecResult {
  readonly ownLogs: readonly Log[]
  readonly returnValue: Uint8Array
  readonly executionGasUsed: bigint
  readonly gasRefund: bigint
  readonly selfdestruct: NonNullable<ExecResult['selfdestruct']>
  readonly createdAddresses: NonNullable<ExecResult['createdAddresses']>
  exceptionError?: NonNullable<ExecResult['exceptionError']>
  runState?: NonNullable<ExecResult['runState']>

  constructor(
    ownLogs: readonly Log[],
    returnValue: Uint8Array,
    executionGasUsed: bigint,
    gathered: Required<Pick<ExecResult, 'gasRefund' | 'selfdestruct' | 'createdAddresses'>>,
  ) {
    this.ownLogs = ownLogs
    this.returnValue = returnValue
    this.executionGasUsed = executionGasUsed
    this.gasRefund = gathered.gasRefund
    this.selfdestruct = gathered.selfdestruct
    this.createdAddresses = gathered.createdAddresses
  }

  get logs(): LibLog[] {
    return this.ownLogs.map(toLibLog)
  }
}

/** The logs of a result, in our words. */
export const logsOf = (result: ExecResult): readonly Log[] =>
  result instanceof EngineResult ? result.ownLogs : (result.logs ?? []).map(fromLibLog)
