// `upgrade-info.json`: tells a supervisor (cosmovisor) which version of the program has to make the next block.
import { closeSync, fsyncSync, mkdirSync, openSync, renameSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { OtherProgramNeeded } from '../runtime/program-upgrades.ts'

const NAME = 'upgrade-info.json'

/**
 * Writes the plan where cosmovisor looks: below its DAEMON_HOME, which it passes on, else in the data directory. The file is there
 * whole or not at all.
 */
export function writeUpgradeInfo(datadir: string, plan: NonNullable<OtherProgramNeeded['plan']>): void {
  const { DAEMON_HOME: home } = process.env
  const folder = home === undefined || home === '' ? datadir : join(home, 'data')
  const { name, height, info } = plan
  mkdirSync(folder, { recursive: true })
  const path = join(folder, NAME)
  const written = openSync(`${path}.new`, 'w')
  try {
    writeSync(written, `${JSON.stringify({ name, height: Number(height), info })}\n`)
    fsyncSync(written)
  } finally {
    closeSync(written)
  }
  renameSync(`${path}.new`, path)
}
