import { createEVM } from '@ethereumjs/evm'
import { createAddressFromString, hexToBytes } from '@ethereumjs/util'
import { TypedDataEncoder } from 'ethers'
import { decodeFunctionResult, encodeFunctionData, getContractAddress, keccak256, multicall3Abi, parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { commonFor } from '../../src/evm/ethereumjs/common.ts'
import { withLibraryParams } from '../../src/evm/ethereumjs/params.ts'
import { bytesToBig, toHex } from '../../src/lib/hex.ts'
import { SYSTEM_CONTRACT } from '../../src/spec/addresses.ts'
import { FACTORIES, systemContracts } from '../../src/spec/preinstalls.ts'
import { presets } from '../../src/spec/presets.ts'

/** Code hashes on Ethereum mainnet, as published by the projects and checked by other chains. */
const HASHES = {
  '0x4e59b44847b379578588920ca78fbf26c0b4956c': '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
  '0x914d7fec6aac8cd542e72bca78b30650d45643d7': '0x2fa86add0aed31f33a762c9d88e807c475bd51d0f52bd0955754b2608f7e4989',
  '0xca11bde05977b3631167028862be2a173976ca11': '0xd5c15df687b16f2ff992fc8d767b4216323184a2bbc6ee2f9c398c318e770891',
  '0x000000000022d473030f116ddee9f6b43ac78ba3': '0xc67d1657868aa5146eaf24fb879fb1fdec3d2d493b3683a61c9c2f4fb2851131',
  '0xba5ed099633d3b313e4d5f7bdc1305d3c28ba5ed': '0xbd8a7ea8cfca7b4e5f5041d7d4b17bc317c5ce42cfbc42066a00cf26b43eb53f',
}

it('the preinstalled factories have the code of mainnet', () => {
  expect(Object.fromEntries(FACTORIES.map(({ address, code }) => [address, keccak256(code)]))).toEqual(HASHES)
})

it('the system contracts have the code of the EIPs, each from its fork on', () => {
  const hashes = systemContracts('amsterdam').map(({ address, code }) => [address, keccak256(code)])
  expect(hashes).toEqual([
    [SYSTEM_CONTRACT.beaconRoots, '0xf57acd40259872606d76197ef052f3d35588dadf919ee1f0e3cb9b62d3f4b02c'],
    [SYSTEM_CONTRACT.history, '0x6e49e66782037c0555897870e29fa5e552daf4719552131a0abce779daec0a5d'],
    [SYSTEM_CONTRACT.withdrawalRequests, '0x0345a365d2f4c5975b9f1599abe0a2ee76b7a3a731bc68781bd04c84e4858f50'],
    [SYSTEM_CONTRACT.consolidationRequests, '0x78c6cb5202685228bbcbfb992b1c4e116c7ec5ef11e25b8e92716cfc628ddd60'],
    [SYSTEM_CONTRACT.builderDeposits, '0x1dd29c1e0dbc3ab670d229dbd3438003ec9015c1df9058beeb64ff301b60b98d'],
    [SYSTEM_CONTRACT.builderExits, '0x90a0b24eb190d6c50f00f6f751dc4c2778658abf3631aceb80586c43f8bd9f2f'],
  ])
  expect(systemContracts('osaka')).toHaveLength(4)
  expect(systemContracts('cancun').map(({ address }) => address)).toEqual([SYSTEM_CONTRACT.beaconRoots])
  expect(systemContracts('shanghai')).toEqual([])
})

/** Calls a factory on the default network with the library's EVM. */
async function call(to: string, data: `0x${string}`) {
  const common = withLibraryParams(commonFor(presets.kestrel(), 'bpo2'))
  const evm = await createEVM({ common })
  for (const { address, code } of FACTORIES) await evm.stateManager.putCode(createAddressFromString(address), code)
  const { execResult } = await evm.runCall({
    to: createAddressFromString(to),
    data: hexToBytes(data),
    gasLimit: 10_000_000n,
  })
  expect(execResult.exceptionError).toBeUndefined()
  return toHex(execResult.returnValue)
}

it('Permit2 uses this chain’s id in its domain separator', async () => {
  const abi = parseAbi(['function DOMAIN_SEPARATOR() view returns (bytes32)'])
  const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
  const separator = decodeFunctionResult({ abi, data: await call(permit2, encodeFunctionData({ abi })) })
  const domain = { name: 'Permit2', chainId: 125, verifyingContract: permit2 }
  expect(separator).toBe(TypedDataEncoder.hashDomain(domain))
})

it('Multicall3 executes aggregate3', async () => {
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [[]] })
  expect(
    decodeFunctionResult({
      abi: multicall3Abi,
      functionName: 'aggregate3',
      data: await call('0xcA11bde05977b3631167028862bE2a173976CA11', data),
    }),
  ).toEqual([])
})

it('the CREATE2 proxy deploys at the address of EIP-1014', async () => {
  const proxy = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
  const initCode = '0x600060005360016000f3' // a contract with the code 0x00
  const salt = `0x${'07'.repeat(32)}` as const
  const expected = getContractAddress({ opcode: 'CREATE2', from: proxy, salt, bytecode: initCode })
  expect(await call(proxy, `${salt}${initCode.slice(2)}`)).toBe(expected.toLowerCase())
})

it('CreateX includes its own address in guarded salts', async () => {
  const abi = parseAbi(['function computeCreate2Address(bytes32 salt, bytes32 initCodeHash) view returns (address)'])
  const createX = '0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed'
  const [salt, bytecode] = [`0x${'07'.repeat(32)}`, '0x00'] as const
  const args = [salt, keccak256(bytecode)] as const
  const expected = getContractAddress({ opcode: 'CREATE2', from: createX, salt, bytecode })
  const answer = await call(createX, encodeFunctionData({ abi, args }))
  expect(bytesToBig(hexToBytes(answer))).toBe(BigInt(expected))
})
