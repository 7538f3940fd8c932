// The packages that are not bundled: native code, which must be found in its own package, packages loaded at first use, and
// those that the client imports. Users install only these. All other packages of `dependencies` are in the bundle.
// build.js loads this file, so it imports nothing.
export const EXTERNAL_PACKAGES: readonly string[] = [
  'classic-level',
  'openapi-fetch',
  'secp256k1',
  'solc',
  'tiny-secp256k1',
]
