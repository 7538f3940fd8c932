// A user's contract that imports an interface of the package, as Hardhat and Foundry resolve it: by the package's name.
const { readFileSync } = require('node:fs')
const solc = require('solc')

const content = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
import {StakingI} from "kestrel-evm/solidity/Staking.sol";
import {Kestrel} from "kestrel-evm/forge/Kestrel.sol";
contract User {
  function code() external pure returns (bytes4) { return StakingI.undelegate.selector; }
  function setUp() external { Kestrel.etch(); }
}`
const settings = { outputSelection: { '*': { '*': ['evm.bytecode.object'] } } }
const input = { language: 'Solidity', sources: { 'User.sol': { content } }, settings }
const found = (path) => ({ contents: readFileSync(require.resolve(path), 'utf8') })
const { errors = [], contracts } = JSON.parse(solc.compile(JSON.stringify(input), { import: found }))
for (const { severity, formattedMessage } of errors) if (severity === 'error') throw new Error(formattedMessage)
if (contracts['User.sol'].User.evm.bytecode.object.length < 100) throw new Error('no code')
