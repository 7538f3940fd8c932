// The stack trace of a verified contract, whose sources the node has compiled itself.
import { encodeFunctionData } from 'viem'
import { expect, it, vi } from 'vitest'
import { compile, compilerVersion, standardInput } from '../../explorer/contracts/support.ts'
import { testChain } from '../../support/chain.ts'

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

contract Safe {
    error Locked(uint256 until);

    function open(uint256 at) external pure {
        check(at);
    }

    function check(uint256 at) internal pure {
        if (at < 100) revert Locked(100);
    }
}
`

it('a failure of a verified contract has its functions and lines', async () => {
  const { url, rpc, viem, walletOf, alice } = await testChain()
  const input = standardInput({ 'src/Safe.sol': SOURCE }, { optimizer: { enabled: false } })
  const { abi, bytecode } = compile(input)('src/Safe.sol:Safe')
  const { contractAddress: to } = await viem.waitForTransactionReceipt({
    hash: await walletOf(0).deployContract({ abi, bytecode }),
  })
  const call = {
    from: alice.address,
    to,
    gas: '0x30000',
    data: encodeFunctionData({ abi, functionName: 'open', args: [7n] }),
  }
  const hash = await rpc('eth_sendTransaction', call)
  const stack = () => rpc('kestrel_getStackTrace', hash) as Promise<string[]>
  expect(await stack()).toEqual([expect.stringMatching(/ \(no sources; pc \d+\)$/)])

  const api = async (fields: Record<string, string>) =>
    (await (await fetch(`${url}/api`, { method: 'POST', body: new URLSearchParams(fields) })).json()) as {
      result: string
    }
  const { result: guid } = await api({
    ...{
      module: 'contract',
      action: 'verifysourcecode',
      contractaddress: String(to),
      contractname: 'src/Safe.sol:Safe',
    },
    ...{
      sourceCode: JSON.stringify(input),
      codeformat: 'solidity-standard-json-input',
      compilerversion: compilerVersion(),
    },
  })
  await vi.waitUntil(
    async () => (await api({ module: 'contract', action: 'checkverifystatus', guid })).result.startsWith('Pass'),
    {
      timeout: 60_000,
      interval: 100,
    },
  )
  expect(await stack()).toEqual([
    // The place of `Locked(100)` behind `revert`.
    'Locked(until: 100) at Safe.check (src/Safe.sol:12:30)',
    'at Safe.open (src/Safe.sol:8:9)',
  ])
})
