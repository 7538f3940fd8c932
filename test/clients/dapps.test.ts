// Contracts that many dApps use, from their own packages: Uniswap 2 with ethers 5, Uniswap 3 with ethers 6, Safe with viem. No
// gas limits are given: the libraries' default estimates must suffice when the transaction is mined.
import { createRequire } from 'node:module'
import { Contract as Contract6, ContractFactory, type InterfaceAbi, JsonRpcProvider, MaxUint256, Wallet } from 'ethers'
import { type Abi, encodeFunctionData, type Hex, parseAbi, parseEther, parseEventLogs, toHex, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account } from '../support/chain.ts'
import { clientsOf, type RunningProcess, startProcess } from '../support/process.ts'

const require = createRequire(new URL('dapps/package.json', import.meta.url))
const SAFE = '@safe-global/safe-contracts/build/artifacts/contracts'
const V3 = '@uniswap/v3-periphery/artifacts/contracts'

type Artifact = { readonly abi: InterfaceAbi; readonly bytecode: string }
const artifact = (path: string): Artifact => require(path)
/** In Truffle's artifacts `evm` has the deployed bytecode, `bytecode` the creation code. */
const v2 = (name: string) => artifact(`@uniswap/${name}.json`)

const keyOf = (index: number): Hex => toHex(account(index).getHdKey().privateKey ?? new Uint8Array())
const ETHER = parseEther('1')
const soon = async (provider: { getBlock(tag: string): Promise<{ timestamp: number } | null> }) =>
  ((await provider.getBlock('latest'))?.timestamp ?? 0) + 1200

describe.each([
  { mode: 'automine', flags: [] },
  { mode: 'a block every second', flags: ['--block-time', '1'] },
])('$mode', ({ flags }) => {
  let node: RunningProcess
  beforeAll(async () => {
    node = await startProcess(['--in-memory', ...flags])
  })
  afterAll(async () => {
    expect(await node.stop()).toBe(0)
  })

  test.concurrent('Uniswap 2 with ethers 5: liquidity, sequential and concurrent swaps', async () => {
    const { ethers } = require('ethers5')
    const provider = new ethers.providers.StaticJsonRpcProvider(node.url)
    provider.pollingInterval = 20
    const wallet = new ethers.Wallet(keyOf(0), provider)
    const deploy = async ({ abi, bytecode }: Artifact, ...args: unknown[]) =>
      (await new ethers.ContractFactory(abi, bytecode, wallet).deploy(...args)).deployed()
    const factory = await deploy(v2('v2-core/build/UniswapV2Factory'), wallet.address)
    const weth = await deploy(v2('v2-periphery/build/WETH9'))
    const router = await deploy(v2('v2-periphery/build/UniswapV2Router02'), factory.address, weth.address)
    const token = await deploy(v2('v2-periphery/build/ERC20'), parseEther('1000000').toString())
    const mined = async (sending: Promise<{ wait(): Promise<{ status: number }> }>) =>
      expect((await (await sending).wait()).status).toBe(1)

    await mined(token.approve(router.address, ethers.constants.MaxUint256))
    const tokens = parseEther('1000').toString()
    const ether = ETHER.toString()
    const pay = { value: ethers.utils.parseEther('10') }
    await mined(router.addLiquidityETH(token.address, tokens, 0, 0, wallet.address, await soon(provider), pay))
    const path = [weth.address, token.address]
    const swap = async () =>
      router.swapExactETHForTokens(0, path, wallet.address, await soon(provider), { value: ether })
    for (let i = 0; i < 4; i++) await mined(swap())
    // In one block or in several; each swap is estimated after the pending ones.
    const burst: ReturnType<typeof swap>[] = []
    for (let i = 0; i < 3; i++) {
      const sent = swap()
      await sent
      burst.push(sent)
    }
    for (const sent of burst) await mined(sent)
    const back = [token.address, weth.address]
    await mined(router.swapExactTokensForETH(ether, 0, back, wallet.address, await soon(provider)))
  })

  test.concurrent('Uniswap 3 with ethers 6: a pool, a position, swaps', async () => {
    const provider = new JsonRpcProvider(node.url, undefined, { staticNetwork: true, cacheTimeout: -1 })
    provider.pollingInterval = 20
    const wallet = new Wallet(keyOf(1), provider)
    const deploy = async ({ abi, bytecode }: Artifact, ...args: unknown[]) => {
      const contract = await new ContractFactory(abi, bytecode, wallet).deploy(...args)
      await contract.waitForDeployment()
      return new Contract6(await contract.getAddress(), abi, wallet)
    }
    const send = async (contract: Contract6, name: string, ...args: unknown[]) => {
      const receipt = await (await contract.getFunction(name)(...args)).wait()
      expect(receipt.status, name).toBe(1)
    }
    const factory = await deploy(
      artifact('@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json'),
    )
    const weth = await deploy(v2('v2-periphery/build/WETH9'))
    const positions = await deploy(
      artifact(`${V3}/NonfungiblePositionManager.sol/NonfungiblePositionManager.json`),
      factory.target,
      weth.target,
      zeroAddress,
    )
    const router = await deploy(artifact(`${V3}/SwapRouter.sol/SwapRouter.json`), factory.target, weth.target)
    const supply = parseEther('1000000')
    const tokens = [
      await deploy(v2('v2-periphery/build/ERC20'), supply),
      await deploy(v2('v2-periphery/build/ERC20'), supply),
    ]
    const [token0, token1] = tokens.map(({ target }) => String(target)).sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
    for (const token of tokens) {
      for (const spender of [positions, router]) await send(token, 'approve', spender.target, MaxUint256)
    }
    // A price of 1 is 2^96; ticks of the 0.3 % pool are multiples of 60.
    await send(positions, 'createAndInitializePoolIfNecessary', token0, token1, 3000, 2n ** 96n)
    const recipient = wallet.address
    const deadline = await soon(provider)
    const amounts = { amount0Desired: 1000n * ETHER, amount1Desired: 1000n * ETHER, amount0Min: 0, amount1Min: 0 }
    const range = { tickLower: -600, tickUpper: 600 }
    await send(positions, 'mint', { token0, token1, fee: 3000, ...range, ...amounts, recipient, deadline })
    const trade = { tokenIn: token0, tokenOut: token1, fee: 3000, recipient, deadline, amountIn: ETHER }
    for (let i = 0; i < 4; i++) {
      await send(router, 'exactInputSingle', { ...trade, amountOutMinimum: 0, sqrtPriceLimitX96: 0 })
    }
    provider.destroy()
  })

  test.concurrent('Safe 1.4.1 with viem: a proxy from the factory, and a transaction of its owners', async () => {
    const { viem, walletOf, chain } = clientsOf(node.url)
    const wallet = walletOf(2)
    const mined = async (hash: Hex) => {
      const receipt = await viem.waitForTransactionReceipt({ hash })
      expect(receipt.status).toBe('success')
      return receipt
    }
    const deploy = async (path: string) => {
      const { abi, bytecode } = artifact(`${SAFE}/${path}.json`) as unknown as { abi: Abi; bytecode: Hex }
      const { contractAddress } = await mined(await wallet.deployContract({ abi, bytecode }))
      return { abi, address: contractAddress ?? zeroAddress }
    }
    const singleton = await deploy('Safe.sol/Safe')
    const factory = await deploy('proxies/SafeProxyFactory.sol/SafeProxyFactory')
    const handler = await deploy('handler/CompatibilityFallbackHandler.sol/CompatibilityFallbackHandler')
    const owners = [account(2).address, account(3).address]
    const setup = encodeFunctionData({
      abi: singleton.abi,
      functionName: 'setup',
      args: [owners, 2n, zeroAddress, '0x', handler.address, zeroAddress, 0n, zeroAddress],
    })
    const created = await mined(
      await wallet.writeContract({
        ...factory,
        functionName: 'createProxyWithNonce',
        args: [singleton.address, setup, 1n],
      }),
    )
    const creation = parseAbi(['event ProxyCreation(address indexed proxy, address singleton)'])
    const [event] = parseEventLogs({ abi: creation, logs: created.logs })
    const safe = { abi: singleton.abi, address: event?.args.proxy ?? zeroAddress }
    await mined(await wallet.sendTransaction({ to: safe.address, value: parseEther('2') }))

    const to = `0x${'5afe'.repeat(10)}` as const
    const message = {
      to,
      value: ETHER,
      data: '0x',
      operation: 0,
      safeTxGas: 0n,
      baseGas: 0n,
      gasPrice: 0n,
      gasToken: zeroAddress,
      refundReceiver: zeroAddress,
      nonce: 0n,
    } as const
    const fields =
      'address to,uint256 value,bytes data,uint8 operation,uint256 safeTxGas,uint256 baseGas,uint256 gasPrice'
    const SafeTx = `${fields},address gasToken,address refundReceiver,uint256 nonce`.split(',').map((field) => {
      const [type = '', name = ''] = field.split(' ')
      return { type, name }
    })
    const typed = {
      domain: { chainId: chain.id, verifyingContract: safe.address },
      types: { SafeTx },
      primaryType: 'SafeTx',
      message,
    } as const
    // The contract needs the signatures in the order of their owners.
    const signers = [account(2), account(3)].sort((a, b) => (BigInt(a.address) < BigInt(b.address) ? -1 : 1))
    const signatures = await Promise.all(signers.map((signer) => signer.signTypedData(typed)))
    const { nonce: _, ...call } = message
    const args = [...Object.values(call), `0x${signatures.map((signature) => signature.slice(2)).join('')}`]
    await mined(await wallet.writeContract({ ...safe, functionName: 'execTransaction', args }))
    expect(await viem.getBalance({ address: to })).toBe(ETHER)
  })
})
