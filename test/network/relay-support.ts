// What tests of a relay between two networks share: the calls of a transfer, names of coins and accounts by their specifications, and the
// relayer's processes, which end with the file's tests.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { type Hex, parseAbi } from 'viem'
import { PROGRAM } from '../support/process.ts'

const run = promisify(execFile)

export const ICS20 = '0x0000000000000000000000000000000000000802'
export const BANK = '0x0000000000000000000000000000000000000804'
export const IBC = '0x0000000000000000000000000000000000000807'
/** The first client of each chain, which is that of the other one. */
export const CLIENT = '07-tendermint-0'
export const abi = parseAbi([
  'struct Height { uint64 revisionNumber; uint64 revisionHeight; }',
  'struct Balance { address contractAddress; uint256 amount; }',
  'struct Payload { string sourcePort; string destPort; string version; string encoding; bytes value; }',
  'struct Packet { uint64 sequence; string sourceClient; string destClient; uint64 timeoutTimestamp; Payload[] payloads; }',
  'event SendPacket(string indexed clientId, uint256 indexed sequence, Packet packet)',
  'event AcknowledgePacket(string indexed clientId, uint256 indexed sequence, Packet packet, bytes[] acknowledgements)',
  'event TimeoutPacket(string indexed clientId, uint256 indexed sequence, Packet packet)',
  'function transfer(string sourcePort, string sourceChannel, string denom, uint256 amount, address sender, string receiver, Height timeoutHeight, uint64 timeoutTimestamp, string memo) returns (uint64)',
  'function balances(address account) view returns (Balance[])',
  'function supplyOf(address erc20Address) view returns (uint256)',
])

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
/** The account of the client with coins that are on the other chain: ibc-go's GetEscrowAddress. */
export const escrow: Hex = `0x${sha256(`ics20-1\0transfer/${CLIENT}`).slice(0, 40)}`
/** The voucher of a coin of the other chain: `ibc/` and the SHA-256 of its trace (ADR-001 of ibc-go), whose end is the token's address. */
export function voucherOf(denom: string): { readonly denom: string; readonly address: Hex } {
  const hash = sha256(`transfer/${CLIENT}/${denom}`)
  return { denom: `ibc/${hash.toUpperCase()}`, address: `0x${hash.slice(-40)}` }
}

type Status = {
  readonly ends: readonly {
    readonly status: string
    readonly inFlight: number
    readonly expiresIn: number
    readonly knownHeight: number
  }[]
}

const running = new Set<ChildProcess>()
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})
let portOfMetrics = 9_470 + (process.pid % 200)

/** Runs a command of the program. Returns what it prints. */
export const kestrel = async (...args: readonly string[]): Promise<string> =>
  (await run(process.execPath, [PROGRAM, ...args])).stdout

/** The relay of a configuration. */
export class Relay {
  readonly config: string

  constructor(config: string) {
    this.config = config
  }

  async status(): Promise<Status> {
    return JSON.parse(await kestrel('relay', 'status', '--config', this.config, '--json'))
  }

  /** Whether no packet is in flight. */
  async isIdle(): Promise<boolean> {
    return (await this.status()).ends.every(({ inFlight }) => inFlight === 0)
  }

  start(...flags: readonly string[]): ChildProcess {
    const port = String(portOfMetrics++)
    const args = ['relay', 'start', '--config', this.config, '--poll', '0.5', '--port', port, '--json', ...flags]
    const child = spawn(process.execPath, [PROGRAM, ...args], { stdio: 'ignore' })
    running.add(child)
    return child
  }
}

/** Ends a relayer, if it runs. */
export async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (!running.delete(child)) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill(signal)
  await ended
}

/** Ends all relayers of the file. */
export async function endAll(): Promise<void> {
  await Promise.all([...running].map((child) => end(child, 'SIGKILL')))
}
