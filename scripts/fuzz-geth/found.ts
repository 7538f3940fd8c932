// Where the cases of differences are kept: tests read this folder.
import { join } from 'node:path'

export const FOUND = join(import.meta.dirname, '../../test/conformance/found')
