// This program's version: package.json is where it is written.
import manifest from '../../package.json' with { type: 'json' }

export const VERSION: string = manifest.version
