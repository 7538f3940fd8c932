#!/usr/bin/env node
// The compiler's JavaScript build (`SOLC`, a path) with the part of the command line that Foundry uses.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const solc = createRequire(import.meta.url)(process.env.SOLC)
const isVersion = process.argv.includes('--version')
process.stdout.write(isVersion ? `solc\nVersion: ${solc.version()}\n` : solc.compile(readFileSync(0, 'utf8')))
