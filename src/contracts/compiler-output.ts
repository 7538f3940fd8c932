// Standard JSON of Solidity and Vyper: the parts of a compiler's input and output that are read here.
import { z } from 'zod'

/** Standard JSON of Solidity and Vyper, with the sources in it. */
export const compilerInput = z.object({
  language: z.enum(['Solidity', 'Yul', 'Vyper']),
  sources: z.record(z.string(), z.object({ content: z.string() })),
  /** Vyper's: sources or ABIs that are only imported. */
  interfaces: z.record(z.string(), z.unknown()).optional(),
  settings: z.record(z.string(), z.unknown()).default({}),
})
export type CompilerInput = z.output<typeof compilerInput>

const offset = z.number().int().nonnegative()
const span = z.object({ start: offset, length: offset })
export type SourceSpan = z.output<typeof span>

export const compiledCode = z.object({
  /** Vyper's with `0x`; with placeholders where libraries are linked. */
  object: z.string().default(''),
  // Vyper's is an object.
  sourceMap: z.unknown().optional(),
  linkReferences: z.record(z.string(), z.record(z.string(), z.array(span))).default({}),
  immutableReferences: z.record(z.string(), z.array(span)).default({}),
})
export type CompiledCode = z.output<typeof compiledCode>

const contractOutput = z.object({
  abi: z.array(z.unknown()).default([]),
  /** Solidity's, as text, whose hash is in the code. */
  metadata: z.unknown().optional(),
  userdoc: z.unknown().optional(),
  devdoc: z.unknown().optional(),
  storageLayout: z.unknown().optional(),
  transientStorageLayout: z.unknown().optional(),
  evm: z.object({ bytecode: compiledCode, deployedBytecode: compiledCode }),
})
export type ContractOutput = z.output<typeof contractOutput>

export const compilerOutput = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  sources: z.record(z.string(), z.object({ id: z.number() })).default({}),
  contracts: z.record(z.string(), z.record(z.string(), contractOutput)).default({}),
})
export type CompilerOutput = z.output<typeof compilerOutput>
