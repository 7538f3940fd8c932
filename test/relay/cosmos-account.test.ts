// Transactions on a Cosmos chain against those of simd (ibc-go v11's simapp, Cosmos SDK v0.55.0): `simd tx bank send --generate-only`, `simd tx
// sign --offline -a 7 -s 3 --sign-mode direct`, `simd tx encode`, with the key of the mnemonic `abandon … about`.
import { fromBinary } from '@bufbuild/protobuf'
import { HDKey } from '@scure/bip32'
import { mnemonicToSeedSync } from '@scure/bip39'
import { privateKeyToAccount } from 'viem/accounts'
import { expect, it } from 'vitest'
import { Remote } from '../../src/fork/remote.ts'
import { toHex } from '../../src/lib/hex.ts'
import { TxBodySchema, TxRawSchema } from '../../src/protobuf/generated/cosmos/tx/v1beta1/tx_pb.ts'
import { CosmosAccount } from '../../src/relay/cosmos-account.ts'

const SIGNED =
  'Co0BCooBChwvY29zbW9zLmJhbmsudjFiZXRhMS5Nc2dTZW5kEmoKLWNvc21vczE5cmw0Y20yaG1yOGFmeTRrbGRweHozZmthNGpndXEwYXVxZGFsNBItY29z' +
  'bW9zMTRmbHZ3MHg4ZnN0emx5Nzl0YWNnc3VseHZrcHY4NThxZnpxZXJuGgoKBXN0YWtlEgExElgKUApGCh8vY29zbW9zLmNyeXB0by5zZWNwMjU2azEuUHVi' +
  'S2V5EiMKIQJPTirZnDTWC5umKDyUMahBivhnMhKWH5ene2N3/NBbYhIECgIIARgDEgQQgIl6GkDO9PBZgVPXzwnzRU8ztuBMIeJl2XYkORprXQn+VQsNRjXa' +
  'kDJdWq6JSPAC46coQICm6MMyVsvcsVgX6LDs+kC4'

const key =
  HDKey.fromMasterSeed(mnemonicToSeedSync(`${'abandon '.repeat(11)}about`)).derive("m/44'/118'/0'/0/0").privateKey ??
  new Uint8Array(32)
const account = new CosmosAccount({
  name: 'a',
  // Signing asks nobody.
  remote: new Remote({ urls: [new URL('http://127.0.0.1:1')] }),
  key: privateKeyToAccount(toHex(key)),
  prefix: 'cosmos',
  chainId: 'simd-1',
  gas: { price: 0, denom: 'stake' },
  perDay: 0n,
})

it('an account of Cosmos has the address of its key there', () => {
  expect(account.address).toBe('cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4')
})

it('an account of Cosmos signs a transaction to the byte as simd does', async () => {
  const { bodyBytes } = fromBinary(TxRawSchema, Buffer.from(SIGNED, 'base64'))
  const [message] = fromBinary(TxBodySchema, bodyBytes).messages
  expect(message?.typeUrl).toBe('/cosmos.bank.v1beta1.MsgSend')
  if (message === undefined) throw new Error('no message')
  const raw = await account.signed([message], { number: 7n, sequence: 3n }, { gas: 2_000_000n, amount: 0n })
  expect(Buffer.from(raw).toString('base64')).toBe(SIGNED)
})
