// Genesis files in geth's format, of any number of funded accounts: plain Ethereum chains that geth reads too.
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { type Hex, numberToHex } from 'viem'
import { CHAIN_ID, GAS_LIMIT } from './senders.ts'

/** Each account's balance. */
export const BALANCE: Hex = numberToHex(10n ** 24n)
/** Accounts in one write to the file. */
const PART = 10_000

const FORKS = ['homestead', 'eip150', 'eip155', 'eip158', 'byzantium', 'constantinople', 'petersburg', 'istanbul']

/** Writes in parts: a million accounts take 80 MB. */
export async function writeGenesis(file: string, count: number, account: (index: number) => Hex): Promise<void> {
  const config = {
    chainId: CHAIN_ID,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    blobSchedule: { cancun: { target: 3, max: 6, baseFeeUpdateFraction: 3338477 } },
    ...Object.fromEntries([...FORKS, 'berlin', 'london'].map((fork) => [`${fork}Block`, 0])),
  }
  const head = JSON.stringify({
    config,
    gasLimit: numberToHex(GAS_LIMIT),
    difficulty: '0x0',
    baseFeePerGas: '0x3b9aca00',
  })
  const out = createWriteStream(file)
  const write = async (text: string) => {
    if (!out.write(text)) await once(out, 'drain')
  }
  await write(`${head.slice(0, -1)},"alloc":{`)
  for (let from = 0; from < count; from += PART) {
    const part = Array.from({ length: Math.min(PART, count - from) }, (_, index) => {
      return `"${account(from + index)}":{"balance":"${BALANCE}"}`
    })
    await write(`${from === 0 ? '' : ','}${part.join(',')}`)
  }
  out.end('}}')
  await once(out, 'finish')
}
