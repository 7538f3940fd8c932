// Development: header fields of the next blocks, and removal of pending transactions.
import { ChainError } from '../../lib/errors.ts'
import { type Hash, toHex } from '../../lib/hex.ts'
import { address, bool, data, hash, looseQuantity, looseUint64, noResult } from '../codec.ts'
import { answeringTrue, type RpcContext, rpcMethod } from '../define.ts'

export const anvil_setCoinbase = rpcMethod({
  summary: 'Sets the miner (fee recipient) of the blocks to come.',
  params: [address],
  names: ['address'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([account], { producer }) {
    producer.settings.coinbase = account
  },
})
export const hardhat_setCoinbase = answeringTrue(anvil_setCoinbase)
export const miner_setEtherbase = hardhat_setCoinbase

export const evm_setBlockGasLimit = rpcMethod({
  summary:
    'Sets the gas limit of the blocks to come at once. If it differs by a 1024th or more, `import` refuses the next block.',
  params: [looseUint64],
  names: ['gasLimit'],
  result: bool,
  gate: 'development',
  noted: true,
  handler([gasLimit], { producer }) {
    if (gasLimit === 0n) throw new ChainError('invalid-params', 'the block gas limit must be greater than 0')
    producer.next.gasLimit = gasLimit
    producer.settings.gasLimit = gasLimit
    return true
  },
})
export const anvil_setBlockGasLimit = evm_setBlockGasLimit

export const miner_setGasLimit = rpcMethod({
  summary: 'Sets the gas limit that the blocks to come approach, each by less than a 1024th, as Ethereum allows.',
  params: [looseUint64],
  names: ['gasLimit'],
  result: bool,
  gate: 'development',
  noted: true,
  handler([gasLimit], { producer }) {
    if (gasLimit === 0n) throw new ChainError('invalid-params', 'the block gas limit must be greater than 0')
    producer.settings.gasLimit = gasLimit
    return true
  },
})

export const miner_setExtra = rpcMethod({
  summary: 'Sets the extra data of the blocks to come, at most 32 bytes.',
  params: [data],
  names: ['extraData'],
  result: bool,
  gate: 'development',
  noted: true,
  handler([extra], { producer }) {
    if (extra.length > 32) throw new ChainError('invalid-params', 'extra exceeds max length. 32')
    producer.settings.extraData = toHex(extra)
    return true
  },
})

export const anvil_setNextBlockBaseFeePerGas = rpcMethod({
  summary: 'Sets the base fee of the next block, at least the chain’s floor; those after it follow by EIP-1559.',
  params: [looseQuantity],
  names: ['baseFee'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([baseFee], { chain, producer }) {
    if (chain.fees.nextBaseFee() === undefined) {
      throw new ChainError('invalid-params', 'the chain has no base fee before the London fork')
    }
    const floor = chain.fees.minBaseFee()
    if (baseFee < floor) {
      throw new ChainError('invalid-params', `base fee ${baseFee} is below the floor of this chain, ${floor}`)
    }
    producer.next.baseFeePerGas = baseFee
  },
})
export const hardhat_setNextBlockBaseFeePerGas = answeringTrue(anvil_setNextBlockBaseFeePerGas)

export const anvil_setNextBlockPrevRandao = rpcMethod({
  summary: 'Sets the prevRandao of the next block (opcode PREVRANDAO, the header’s mixHash).',
  params: [hash],
  names: ['prevRandao'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([prevRandao], { producer }) {
    producer.next.prevRandao = prevRandao
  },
})
export const anvil_setPrevRandao = anvil_setNextBlockPrevRandao
export const hardhat_setPrevRandao = answeringTrue(anvil_setNextBlockPrevRandao)

export const anvil_setMinGasPrice = rpcMethod({
  summary: 'Refused: with EIP-1559 the base fee is the minimal price (anvil_setNextBlockBaseFeePerGas sets it).',
  params: [looseQuantity],
  names: ['gasPrice'],
  result: noResult,
  gate: 'development',
  handler() {
    throw new ChainError('invalid-params', 'a minimal gas price is not supported when EIP-1559 is active')
  },
})
export const hardhat_setMinGasPrice = anvil_setMinGasPrice

export const miner_setGasPrice = rpcMethod({
  summary: 'False: this node has no minimal gas price above the base fee.',
  params: [looseQuantity],
  names: ['gasPrice'],
  result: bool,
  gate: 'development',
  handler: () => false,
})

export const miner_start = rpcMethod({
  summary: 'Switches automatic mining on: a block as soon as a transaction is ready. A number of threads is ignored.',
  params: [looseUint64.optional()],
  names: ['threads'],
  result: bool,
  gate: 'development',
  noted: true,
  handler(_, { producer }) {
    producer.setMode({ automine: true })
    return true
  },
})

export const miner_stop = rpcMethod({
  summary: 'Switches automatic and interval mining off.',
  params: [],
  result: bool,
  gate: 'development',
  noted: true,
  handler(_, { producer }) {
    producer.setMode({ automine: false, interval: 0 })
    return true
  },
})

export const anvil_dropTransaction = rpcMethod({
  summary: 'Removes a transaction from the pool; returns its hash, or null when it is not in the pool.',
  params: [hash],
  names: ['transactionHash'],
  result: hash.nullable(),
  gate: 'development',
  noted: true,
  handler: ([hash], context) => (drop(hash, context) ? hash : null),
})

export const hardhat_dropTransaction = rpcMethod({
  summary: 'As anvil_dropTransaction; returns whether it was in the pool, and refuses a mined one.',
  params: [hash],
  names: ['transactionHash'],
  result: bool,
  gate: 'development',
  noted: true,
  handler([hash], context) {
    if (context.chain.transaction(hash)) {
      throw new ChainError('invalid-params', `transaction ${hash} cannot be dropped because it's already mined`)
    }
    return drop(hash, context)
  },
})

const drop = (hash: Hash, { chain }: RpcContext): boolean => chain.pool.remove(hash)

export const anvil_dropAllTransactions = rpcMethod({
  summary: 'Empties the pool.',
  params: [],
  result: noResult,
  gate: 'development',
  noted: true,
  handler: (_, { chain }) => chain.pool.clear(),
})
export const hardhat_dropAllTransactions = answeringTrue(anvil_dropAllTransactions)

export const anvil_removePoolTransactions = rpcMethod({
  summary: 'Removes all transactions of a sender from the pool.',
  params: [address],
  names: ['address'],
  result: noResult,
  gate: 'development',
  noted: true,
  handler([sender], { chain }) {
    const { pending, queued } = chain.pool.content()
    for (const { hash } of [...(pending.get(sender) ?? []), ...(queued.get(sender) ?? [])]) chain.pool.remove(hash)
  },
})
