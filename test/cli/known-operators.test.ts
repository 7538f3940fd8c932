// A genesis that was derived from a preset's with `--mnemonic` still has the preset's operators until they are removed.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, it } from 'vitest'
import { fundsKnownOperators } from '../../src/cli/choose-chain.ts'
import { parseGenesis } from '../../src/spec/genesis-file.ts'
import { MNEMONIC } from '../support/chain.ts'
import { folder, run } from './support.ts'

describe('a genesis with operators whose keys are public', () => {
  it('is detected by the operators’ coins', async () => {
    const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const file = JSON.parse((await run(await folder(), 'genesis', '--mnemonic', words)).stdout)
    expect(await fundsKnownOperators(parseGenesis(file))).toBe(true)
    // The operators are accounts 10 to 12 of the public mnemonic.
    for (const addressIndex of [10, 11, 12])
      delete file.alloc[mnemonicToAccount(MNEMONIC, { addressIndex }).address.toLowerCase()]
    file.kestrel.validators = []
    expect(await fundsKnownOperators(parseGenesis(file))).toBe(false)
  })

  it.each(['evmos', 'cosmos-evm'])('has none in a network of the preset %s with its own mnemonic', async (preset) => {
    const words = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
    const place = await folder()
    const { code, stderr } = await run(place, 'testnet', '--preset', preset, '--mnemonic', words, '--output', 'net')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const genesis = JSON.parse(await readFile(join(place, 'net/genesis.json'), 'utf8'))
    expect(genesis.kestrel.validators.map(({ moniker }: { moniker: string }) => moniker)).toContain(`${preset}-0`)
    expect(await fundsKnownOperators(parseGenesis(genesis))).toBe(false)
  })
})
