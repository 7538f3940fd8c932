// The library's types under our names. Other folders of evm/ import them only from here.
import type { getOpcodesForHF } from '@ethereumjs/evm'

export type LibraryOpcodes = ReturnType<typeof getOpcodesForHF>
/** One opcode in the library's table. */
export type LibraryOpcode = LibraryOpcodes['opcodeMap'][number]
/** The library's frame. */
export type RunState = Parameters<LibraryOpcode['opHandler']>[0]
