module.exports = { solidity: '0.8.30', networks: { hardhat: { hardfork: 'cancun' } } }
