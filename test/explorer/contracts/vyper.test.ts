// Vyper contracts. The compiler is a script with the recorded output of vyper 0.4.3 for this source, so that the tests need no
// Vyper; KESTREL_VYPER, the path of a vyper 0.4.3, replaces it.
import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Abi, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../support/process.ts'
import { verifyingExplorer } from './support.ts'

const RECORDED = join(import.meta.dirname, 'jar-vyper-0.4.3.json')
const PATH = 'src/Jar.vy'

type Recorded = {
  readonly compiler: string
  readonly source: string
  readonly output: {
    contracts: Record<string, Record<string, { abi: Abi; evm: { bytecode: { object: Hex } } }>>
  }
}

let explorer: Awaited<ReturnType<typeof verifyingExplorer>>
let recorded: Recorded
let folder: Awaited<ReturnType<typeof temporaryFolder>>
beforeAll(async () => {
  folder = await temporaryFolder()
  recorded = JSON.parse(await readFile(RECORDED, 'utf8')) as Recorded
  explorer = await verifyingExplorer({ folders: [], vyper: process.env.KESTREL_VYPER ?? (await recordedVyper()) })
}, 60_000)
afterAll(async () => {
  await explorer.close()
  await folder.remove()
})

/** A program with the recorded output, in which the source has the path of the input. */
async function recordedVyper(): Promise<string> {
  const answer = join(folder.path, 'answer.json')
  const file = join(folder.path, 'vyper')
  await writeFile(answer, JSON.stringify(recorded.output))
  const script = `#!/bin/sh
if [ "$1" = --version ]; then echo ${recorded.compiler}; exit; fi
input=$(cat)
case $input in
  *'"Other.vy"'*) sed 's#src/Jar.vy#Other.vy#g; s#"Jar"#"Other"#' ${answer} ;;
  *'"Jar.vy"'*) sed 's#src/Jar.vy#Jar.vy#g' ${answer} ;;
  *) cat ${answer} ;;
esac`
  await writeFile(file, script)
  await chmod(file, 0o755)
  return file
}

const jar = () => {
  const compiled = recorded.output.contracts[PATH]?.Jar
  if (compiled === undefined) throw new Error('nothing was recorded')
  return compiled
}
const deploy = (size: bigint) => explorer.deploy({ abi: jar().abi, bytecode: jar().evm.bytecode.object }, [size])
const input = () => ({ language: 'Vyper', sources: { [PATH]: { content: recorded.source } }, settings: {} })
const version = () => `v${recorded.compiler}`

const via = async (address: string, way: string, body: FormData | object) => {
  const isForm = body instanceof FormData
  const response = await fetch(`${explorer.explorerUrl}/api/v2/smart-contracts/${address}/verification/via/${way}`, {
    method: 'POST',
    ...(isForm ? { body } : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  expect(await response.json()).toEqual({ message: 'Smart-contract verification started' })
  return explorer.verificationResult(address)
}
const verified = {
  is_verified: true,
  is_fully_verified: true,
  language: 'vyper',
  is_vyper_contract: true,
  optimization_enabled: true,
  optimization_runs: null,
}

describe('a Vyper contract', () => {
  it('can be verified by a single source, and has its arguments and calls decoded', async () => {
    const { address } = await deploy(7n)
    const form = {
      compiler_version: version(),
      contract_name: 'Jar',
      source_code: recorded.source,
      license_type: 'mit',
    }
    expect(await via(address, 'vyper-code', form)).toEqual({ status: 'success' })
    expect(await explorer.contract(address)).toMatchObject({
      ...verified,
      name: 'Jar',
      compiler_version: version(),
      license_type: 'mit',
      source_code: recorded.source,
      decoded_constructor_args: [['7', { name: 'size', type: 'uint256' }]],
    })
    const data = encodeFunctionData({ abi: parseAbi(['function fillJar(uint256 spoons)']), args: [5n] })
    const hash = (await explorer.walletOf(0).sendTransaction({ to: address, data })) as Hex
    await explorer.viem.waitForTransactionReceipt({ hash })
    expect(await explorer.json(`/api/v2/transactions/${hash}`)).toMatchObject({ method: 'fillJar' })
    const { items } = await explorer.json('/api/v2/smart-contracts?filter=vyper')
    expect(items).toMatchObject([{ address: { hash: address }, language: 'vyper' }])
  })

  it('can be verified by files, and by standard JSON', async () => {
    const form = new FormData()
    form.set('compiler_version', version())
    form.append('files[0]', new Blob([recorded.source]), 'Other.vy')
    form.append('interfaces[0]', new Blob(['[]']), 'ERC20.json')
    const first = await deploy(8n)
    expect(await via(first.address, 'vyper-multi-part', form)).toEqual({ status: 'success' })
    expect(await explorer.contract(first.address)).toMatchObject({ ...verified, name: 'Other' })

    const standard = new FormData()
    standard.set('compiler_version', version())
    standard.append('files[0]', new Blob([JSON.stringify(input())]), 'input.json')
    const second = await deploy(9n)
    expect(await via(second.address, 'vyper-standard-input', standard)).toEqual({ status: 'success' })
    expect(await explorer.contract(second.address)).toMatchObject({ ...verified, file_path: PATH })
  })

  it("can be verified by Etherscan's form and by Sourcify's API", async () => {
    const first = await deploy(10n)
    const more = { codeformat: 'vyper-json', compilerversion: `vyper:${recorded.compiler.split('+')[0]}` }
    expect((await explorer.verify(first.address, input(), `${PATH}:Jar`, more)).result).toBe('Pass - Verified')
    const second = await deploy(11n)
    const request = { stdJsonInput: input(), compilerVersion: recorded.compiler, contractIdentifier: `${PATH}:Jar` }
    const submitted = await explorer.json(`/sourcify/v2/verify/125/${second.address}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
    })
    await expect
      .poll(() => explorer.json(`/sourcify/v2/verify/${submitted.verificationId}`))
      .toMatchObject({
        isJobCompleted: true,
        // Vyper writes the hash of the sources into creation code only.
        contract: { match: 'exact_match', creationMatch: 'exact_match', runtimeMatch: 'match' },
      })
    const looked = await explorer.json(
      `/sourcify/v2/contract/125/${second.address}?fields=compilation.compiler,metadata`,
    )
    expect(looked).toMatchObject({ compilation: { compiler: 'vyper' }, metadata: null })
  })

  it('is refused if the code differs', async () => {
    const { address } = await deploy(12n)
    const code = (await explorer.rpc('eth_getCode', address, 'latest')) as Hex
    const planted = `0x${'ab'.repeat(20)}` as const
    await explorer.rpc('anvil_setCode', planted, code.replace('0x5f', '0x36'))
    const refused = await explorer.verify(planted, input(), `${PATH}:Jar`, {
      codeformat: 'vyper-json',
      compilerversion: version(),
    })
    expect(refused.result).toMatch(/^Fail - Unable to verify/)
  })

  it('is offered by the form if a compiler for it is installed', async () => {
    expect(await explorer.json('/api/v2/smart-contracts/verification/config')).toMatchObject({
      vyper_compiler_versions: [version()],
      vyper_evm_versions: expect.arrayContaining(['default', 'cancun']),
      verification_options: expect.arrayContaining(['vyper-code', 'vyper-multi-part', 'vyper-standard-input']),
    })
  })
})
