import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDNodeWallet, keccak256, Mnemonic, recoverAddress, Signature, toUtf8Bytes } from 'ethers'
import { describe, expect, it } from 'vitest'
import { bigToFixed, fromHex, hexToAddress, toHex } from '../../src/lib/hex.ts'
import { walletOfMnemonic } from '../../src/wallet/mnemonic.ts'
import { addressOf, Wallet } from '../../src/wallet/wallet.ts'

const PHRASE = 'test test test test test test test test test test test junk'
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const caught = (run: () => unknown) => {
  try {
    run()
  } catch (error) {
    return error
  }
}

describe('accounts of a mnemonic', () => {
  it('are those of every development node', () => {
    expect(walletOfMnemonic(PHRASE, 10).addresses()).toEqual(
      [
        '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
        '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
        '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
        '0x90F79bf6EB2c4f870365E785982E1f101E93b906',
        '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65',
        '0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc',
        '0x976EA74026E726554dB657fA54763abd0C3a0aa9',
        '0x14dC79964da2C08b23698B3D3cc7Ca32193d9955',
        '0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f',
        '0xa0Ee7A142d267C1f36714E4a8F75612F20a79720',
      ].map(hexToAddress),
    )
  })

  it.each([
    ['the default path', PHRASE, "m/44'/60'/0'/0"],
    ['another path', PHRASE, "m/44'/1'/7'"],
    ['another phrase', 'legal winner thank year wave sausage worth useful legal winner thank yellow', "m/44'/60'/0'/0"],
  ])('agrees with ethers on %s', (_, phrase, path) => {
    const wallet = walletOfMnemonic(phrase, 3, 0, path)
    const expected = [0, 1, 2].map((index) =>
      HDNodeWallet.fromMnemonic(Mnemonic.fromPhrase(phrase), `${path}/${index}`),
    )
    expect(wallet.addresses()).toEqual(expected.map(({ address }) => hexToAddress(address)))
    expect(wallet.addresses().map((address) => toHex(wallet.privateKey(address)))).toEqual(
      expected.map(({ privateKey }) => privateKey),
    )
  })

  it('may begin at an index', () => {
    // Hardhat and Anvil print these as accounts 10 and 11.
    expect(walletOfMnemonic(PHRASE, 2, 10).addresses()).toEqual(
      ['0xBcd4042DE499D14e55001CcbB24a551F3b954096', '0x71bE63f3384f5fb98995898A86B02Fb2426c5788'].map(hexToAddress),
    )
  })

  it('do not depend on superfluous spaces', () => {
    expect(walletOfMnemonic(` ${PHRASE.replaceAll(' ', '  ')}\n`, 1).addresses()).toEqual(
      walletOfMnemonic(PHRASE, 1).addresses(),
    )
  })

  it('are refused for an invalid phrase', () => {
    const wrongChecksum = PHRASE.replace('junk', 'test')
    expect(caught(() => walletOfMnemonic(wrongChecksum, 1))).toMatchObject({
      code: 'invalid-params',
      message: 'invalid mnemonic',
    })
    expect(caught(() => walletOfMnemonic('', 1))).toMatchObject({ code: 'invalid-params' })
    expect(caught(() => walletOfMnemonic(PHRASE, 1, 0, '44/60'))).toMatchObject({ code: 'invalid-params' })
  })
})

describe('a wallet', () => {
  it('adds keys', () => {
    const wallet = new Wallet()
    // The address of private key 1 is well known.
    const address = wallet.add(bigToFixed(1n, 32))
    expect(address).toBe('0x7e5f4552091a69125d5dfcb7b8c2659029395bdf')
    expect(wallet.has(address)).toBe(true)
    expect(wallet.addresses()).toEqual([address])
    wallet.add(bigToFixed(1n, 32))
    expect(wallet.addresses()).toEqual([address])
  })

  it.each([
    ['zero', bigToFixed(0n, 32)],
    ['the order of the curve', bigToFixed(ORDER, 32)],
    ['31 bytes', new Uint8Array(31).fill(1)],
  ])('refuses %s', (_, key) => {
    expect(caught(() => addressOf(key))).toMatchObject({ code: 'invalid-params', message: 'invalid private key' })
  })

  it('copies the keys it is given', () => {
    const key = bigToFixed(5n, 32)
    const wallet = new Wallet()
    const address = wallet.add(key)
    key.fill(9)
    wallet.privateKey(address).fill(9)
    expect(wallet.privateKey(address)).toEqual(bigToFixed(5n, 32))
  })

  it('can have a key without listing its account', () => {
    const wallet = new Wallet()
    const listed = wallet.add(bigToFixed(5n, 32))
    const unlisted = wallet.addUnlisted(bigToFixed(6n, 32))
    expect(wallet.addresses()).toEqual([listed])
    expect(wallet.has(unlisted)).toBe(true)
    expect(addressOf(wallet.privateKey(unlisted))).toBe(unlisted)
    // A listed account stays listed.
    wallet.addUnlisted(bigToFixed(5n, 32))
    expect(wallet.addresses()).toEqual([listed])
    wallet.add(bigToFixed(6n, 32))
    expect(wallet.addresses()).toEqual([listed, unlisted])
  })
})

describe('signatures of a wallet', () => {
  const wallet = walletOfMnemonic(PHRASE, 1)
  const [address = hexToAddress(`0x${'00'.repeat(20)}`)] = wallet.addresses()

  it('equal those of noble and ethers, with low s', () => {
    for (let i = 0; i < 20; i++) {
      const hash = keccak256(toUtf8Bytes(`message ${i}`))
      const { r, s, yParity } = wallet.sign(address, fromHex(hash))
      const [recovery, ...rest] = secp256k1.sign(fromHex(hash), wallet.privateKey(address), {
        format: 'recovered',
        prehash: false,
      })
      expect([yParity, toHex(bigToFixed(r, 32)) + toHex(bigToFixed(s, 32)).slice(2)]).toEqual([
        recovery,
        toHex(Uint8Array.from(rest)),
      ])
      expect(s <= ORDER / 2n).toBe(true)
      const signature = Signature.from({
        r: toHex(bigToFixed(r, 32)),
        s: toHex(bigToFixed(s, 32)),
        yParity,
      })
      expect(hexToAddress(recoverAddress(hash, signature))).toBe(address)
    }
  })

  it('are refused without a key', () => {
    const stranger = hexToAddress(`0x${'12'.repeat(20)}`)
    const unknown = { code: 'unknown-account', message: 'unknown account' }
    expect(wallet.has(stranger)).toBe(false)
    expect(caught(() => wallet.sign(stranger, new Uint8Array(32)))).toMatchObject(unknown)
    expect(caught(() => wallet.privateKey(stranger))).toMatchObject(unknown)
  })
})
