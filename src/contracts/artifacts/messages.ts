// The messages between the node and the thread that reads artifacts.
import type { Compilation, LocalSources } from '../local-contracts.ts'
import type { ReadContract } from './build-file.ts'
import type { Sought } from './local-sources.ts'

export type ReaderData = {
  /** Folders and files that are watched. */
  readonly roots: readonly string[]
}

export type ReaderOrder =
  | { readonly kind: 'sources'; readonly id: number; readonly sought: Sought }
  | { readonly kind: 'add'; readonly id: number; readonly build: Compilation }

export type ReaderReport =
  /** Contracts of a file, at most some dozens. `isFirst`: those that were read of it before are gone. */
  | {
      readonly kind: 'contracts'
      readonly file: string
      /** When it was written, in milliseconds since 1970. */
      readonly modified: number
      readonly contracts: readonly ReadContract[]
      readonly isFirst: boolean
    }
  | { readonly kind: 'gone'; readonly file: string }
  /** Functions, events and errors of all, as JSON. */
  | { readonly kind: 'declarations'; readonly json: string }
  | { readonly kind: 'warning'; readonly text: string }
  | { readonly kind: 'info'; readonly text: string }
  | { readonly kind: 'sources'; readonly id: number; readonly sources: LocalSources | undefined }
  | { readonly kind: 'added'; readonly id: number; readonly hasContracts: boolean }
