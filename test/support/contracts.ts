// The contracts of `contracts/contracts.sol`, compiled, with their interfaces as viem infers types from them.
// `contracts.json` was made by solc with the version and settings written in it; `interfaces.test.ts` holds both together.
import { type Hex, parseAbi } from 'viem'
import compiled from './contracts/contracts.json' with { type: 'json' }

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
