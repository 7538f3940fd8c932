// A node on a full file system: its errors, the requests that it still answers, and its recovery when there is room.
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { rawRequest, request } from '../support/chain.ts'
import { startProcess } from '../support/process.ts'

/** LevelDB's log and the next one must fit into the free space before the node continues. */
const SIZE = '48m'
const LEFT = 1_000_000

/** Mounts a file system in memory; undefined if this user may not. */
function smallDisk(): string | undefined {
  const path = mkdtempSync(join(tmpdir(), 'kestrel-disk-'))
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE}`, 'tmpfs', path], { stdio: 'ignore' })
    return path
  } catch {
    rmdirSync(path)
    return undefined
  }
}

const disk = smallDisk()

test.skipIf(disk === undefined)(
  'a node refuses sends while the disk is full, and continues when there is room (needs to mount a tmpfs)',
  async () => {
    if (disk === undefined) return
    onTestFinished(() => {
      execFileSync('umount', [disk])
      rmdirSync(disk)
    })
    const node = await startProcess(['--datadir', join(disk, 'data')])
    onTestFinished(async () => void (await node.stop()))
    const { url } = node
    const [from] = (await request(url, 'eth_accounts')) as string[]
    const sent: string[] = []
    const send = async () => {
      const data = `0x${randomBytes(60_000).toString('hex')}`
      const to = '0x00000000000000000000000000000000000000ee'
      const answer = await rawRequest(url, 'eth_sendTransaction', [{ from, to, data, gas: '0x300000' }])
      if (typeof answer.result === 'string') sent.push(answer.result)
      return answer
    }
    await send()
    const { bavail, bsize } = statfsSync(disk)
    const filler = join(disk, 'filler')
    writeFileSync(filler, randomBytes(bavail * bsize - LEFT))

    const refused = { code: -32603, message: 'disk full' }
    await vi.waitUntil(async () => (await send()).error?.message === 'disk full', { timeout: 20_000, interval: 0 })
    expect((await send()).error).toEqual(refused)
    for (const [method, ...params] of [
      ['evm_mine'],
      ['hardhat_setBalance', from, '0x1'],
      ['anvil_rollback'],
    ] as const) {
      expect((await rawRequest(url, method, params)).error).toEqual(refused)
    }
    const unhealthy = await fetch(`${url}/health`)
    expect([unhealthy.status, await unhealthy.json()]).toMatchObject([503, { ready: false, status: 'disk-failure' }])
    expect(await (await fetch(`${url}/metrics`)).text()).toContain('\nkestrel_disk_writable 0\n')
    const before = await request(url, 'eth_blockNumber')
    expect(Number(before)).toBeGreaterThan(0)
    expect(await request(url, 'eth_getTransactionReceipt', [sent[0]])).toMatchObject({ status: '0x1' })

    rmSync(filler)
    await vi.waitUntil(async () => (await send()).error === undefined, { timeout: 20_000, interval: 100 })
    expect((await fetch(`${url}/health`)).status).toBe(200)
    for (const hash of sent) {
      await vi.waitUntil(() => request(url, 'eth_getTransactionReceipt', [hash]), { timeout: 20_000 })
    }
    expect(await request(url, 'dev_invariants')).toEqual([])
    const lines = node
      .output()
      .split('\n')
      .filter((line) => line.includes('state: '))
    expect(lines.map((line) => line.replace(/^.*?(ERROR|INFO)/, '$1'))).toEqual([
      expect.stringMatching(/^ERROR: state: disk full: .*: nothing is written, reads go on$/),
      'INFO: state: the disk takes writes again: going on',
    ])
  },
  90_000,
)
