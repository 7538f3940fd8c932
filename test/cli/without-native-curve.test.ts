// A platform without a native build of secp256k1, e.g. linux-arm64: the node signs and recovers in WebAssembly, warns, and
// never uses elliptic (CVE-2025-14505), which is not installed.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashMessage, SigningKey, toUtf8Bytes } from 'ethers'
import { parseEther } from 'viem'
import { expect, it, onTestFinished } from 'vitest'
import { account } from '../support/chain.ts'
import { clientsOf, startProcess, temporaryFolder } from '../support/process.ts'

const WARNING = 'no native secp256k1 for this platform'

it('a node signs and recovers without native bindings, and warns once', async () => {
  const empty = await temporaryFolder()
  // node-gyp-build searches a package's builds in the folder <NAME>_PREBUILD.
  const node = await startProcess(['--in-memory'], { SECP256K1_PREBUILD: empty.path })
  onTestFinished(async () => {
    expect(await node.stop()).toBe(0)
    await empty.remove()
  })
  const { rpc, viem, walletOf } = clientsOf(node.url)
  const from = account(0)
  const to = account(1)

  // Signed by the node: RFC 6979 is deterministic, so ethers gives the same bits (account 0 of `test test ... junk`).
  const key = new SigningKey('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80')
  const message = `0x${Buffer.from(toUtf8Bytes('kestrel')).toString('hex')}`
  expect(await rpc('personal_sign', message, from.address)).toBe(key.sign(hashMessage('kestrel')).serialized)
  const sent = await rpc('eth_sendTransaction', { from: from.address, to: to.address, value: '0x1' })
  expect(await rpc('eth_getTransactionReceipt', sent)).toMatchObject({ status: '0x1' })

  // Signed by the client: the node recovers the sender, also of 20 at a time, for which it uses threads if it has them.
  const hashes = await Promise.all(
    Array.from({ length: 20 }, (_, nonce) => walletOf(2).sendTransaction({ to: to.address, value: 1n, nonce })),
  )
  for (const hash of hashes) {
    const receipt = await viem.waitForTransactionReceipt({ hash })
    expect(receipt).toMatchObject({ status: 'success', from: account(2).address.toLowerCase() })
  }
  expect(await viem.getBalance({ address: to.address })).toBe(parseEther('10000') + 21n)

  // One warning, not one per transaction.
  expect(node.output().split(WARNING)).toHaveLength(2)
})

it('the installed packages do not include elliptic', () => {
  const root = join(import.meta.dirname, '../..')
  const lock: { packages: Record<string, { name?: string }> } = JSON.parse(
    readFileSync(join(root, 'package-lock.json'), 'utf8'),
  )
  const named = Object.entries(lock.packages).map(([path, { name }]) => name ?? path.split('node_modules/').at(-1))
  expect(named).toContain('secp256k1')
  expect(named).not.toContain('elliptic')
})
