import { expect, it } from 'vitest'
import {
  MODULE_ACCOUNT,
  moduleAddress,
  NATIVE_CONTRACT,
  SYSTEM_ADDRESS,
  SYSTEM_CONTRACT,
} from '../../src/spec/addresses.ts'

const lower = <T extends Record<string, string>>(addresses: T) =>
  Object.fromEntries(Object.entries(addresses).map(([name, address]) => [name, address.toLowerCase()]))

it('native contracts have the addresses that existing contracts are compiled with', () => {
  expect(NATIVE_CONTRACT).toEqual({
    bech32: '0x0000000000000000000000000000000000000400',
    staking: '0x0000000000000000000000000000000000000800',
    distribution: '0x0000000000000000000000000000000000000801',
    ics20: '0x0000000000000000000000000000000000000802',
    vesting: '0x0000000000000000000000000000000000000803',
    bank: '0x0000000000000000000000000000000000000804',
    gov: '0x0000000000000000000000000000000000000805',
    slashing: '0x0000000000000000000000000000000000000806',
    ibc: '0x0000000000000000000000000000000000000807',
    authorization: '0x0000000000000000000000000000000000000a00',
  })
})

it('module accounts are derived as in the Cosmos SDK', () => {
  // From Evmos' documentation; mint is the Cosmos Hub's cosmos1m3h30wlvsf8llruxtpukdvsy0km2kum8g38c8q.
  expect(MODULE_ACCOUNT).toEqual(
    lower({
      feeCollector: '0xf1829676DB577682E944fc3493d451B67Ff3E29F',
      distribution: '0x93354845030274cD4bf1686Abd60AB28EC52e1a7',
      bondedPool: '0x4feA76427B8345861e80A3540a8a9D936FD39391',
      notBondedPool: '0x5911B844d7BC224654FE0DCd16BAbD2D253f2fdF',
      gov: '0x7b5Fe22B5446f7C62Ea27B8BD71CeF94e03f3dF2',
      transfer: '0x27f576CafbB263ED44BE8bd094f66114Da268777',
      erc20: '0x47EeB2eac350E1923b8CBDfA4396A077b36E62a0',
      mint: '0xdc6f17bbec824fff8f86587966b2047db6ab7367',
      evm: '0x603871c2ddd41c26Ee77495E2E31e6De7f9957e0',
    }),
  )
  expect(moduleAddress('inflation')).toBe('0x6d731a5ed145ab6d2e88bbd4dc6caa888f8b1f40')
})

it('system contracts have the addresses of the EIPs', () => {
  expect({ ...SYSTEM_CONTRACT, system: SYSTEM_ADDRESS }).toEqual({
    beaconRoots: '0x000f3df6d732807ef1319fb7b8bb8522d0beac02',
    history: '0x0000f90827f1c53a10cb7a02335b175320002935',
    builderDeposits: '0x0000bff46984e3725691fa540a8c7589300d8282',
    builderExits: '0x000064d678505ad48f8ccb093bc65613800e8282',
    withdrawalRequests: '0x00000961ef480eb55e80d19ad83579a64c007002',
    consolidationRequests: '0x0000bbddc7ce488642fb579f8b00f3a590007251',
    system: '0xfffffffffffffffffffffffffffffffffffffffe',
  })
})
