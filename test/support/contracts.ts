// The compiled contracts of `contracts/contracts.sol`, with ABIs from which viem infers types.
// solc made `contracts.json` with the version and settings in it; `e2e/viem.test.ts` checks that both match.
import { getAddress, type Hex, parseAbi, parseEther, type TransactionReceipt } from 'viem'
import type { withClients } from './chain.ts'
import compiled from './contracts/contracts.json' with { type: 'json' }
import type { Clients } from './process.ts'

const { Token, Frames } = compiled.contracts

export const token = {
  abi: parseAbi([
    'constructor(string name_, uint256 supply)',
    'event Transfer(address indexed from, address indexed to, uint256 value)',
    'event Approval(address indexed owner, address indexed spender, uint256 value)',
    'error InsufficientBalance(address account, uint256 balance, uint256 needed)',
    'function name() view returns (string)',
    'function symbol() view returns (string)',
    'function decimals() view returns (uint8)',
    'function totalSupply() view returns (uint256)',
    'function balanceOf(address) view returns (uint256)',
    'function allowance(address, address) view returns (uint256)',
    'function transfer(address to, uint256 value) returns (bool)',
    'function approve(address spender, uint256 value) returns (bool)',
    'function transferFrom(address from, address to, uint256 value) returns (bool)',
    'function refuse(string reason) pure',
  ]),
  bytecode: Token.bytecode as Hex,
}

export const frames = {
  abi: parseAbi([
    'function words(uint256) view returns (uint256)',
    'function descend(uint256 depth, uint256 count)',
    'function waste(uint256 count)',
    'function greedy()',
    'function endless() view',
  ]),
  bytecode: Frames.bytecode as Hex,
}

type Deployer = Pick<Clients, 'viem' | 'walletOf'> | Pick<ReturnType<typeof withClients>, 'viem' | 'walletOf'>

/** Deploys a token with a supply of 1000 units of 10^18, owned by the deployer. */
export async function deployToken({ viem, walletOf }: Deployer, from: number, supply = parseEther('1000')) {
  const hash = await walletOf(from).deployContract({ ...token, args: ['Token', supply] })
  return deployed(await viem.waitForTransactionReceipt({ hash }))
}

export async function deployFrames({ viem, walletOf }: Deployer, from: number) {
  const hash = await walletOf(from).deployContract(frames)
  return deployed(await viem.waitForTransactionReceipt({ hash }))
}

function deployed(receipt: TransactionReceipt) {
  if (receipt.status !== 'success' || !receipt.contractAddress) throw new Error('the contract was not deployed')
  return { address: getAddress(receipt.contractAddress), receipt }
}
