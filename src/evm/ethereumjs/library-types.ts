// Types of the library under names of our own: the only place from which other folders of evm/ take them.
import type { getOpcodesForHF } from '@ethereumjs/evm'

export type LibraryOpcodes = ReturnType<typeof getOpcodesForHF>
/** One opcode in the library's table. */
export type LibraryOpcode = LibraryOpcodes['opcodeMap'][number]
/** The library's frame. */
export type RunState = Parameters<LibraryOpcode['opHandler']>[0]
