// Loaded into the programs of the suites: connections to port 8545 of this machine, which their files name, go to the port of NODE_PORT.
// The suites stay unchanged, and a node that a developer has on 8545 is not touched.
const { Socket } = require('node:net')

const { connect } = Socket.prototype
Socket.prototype.connect = function (...given) {
  // node:http and node:tls pass what they have normalized as one array.
  const [options] = Array.isArray(given[0]) ? given[0] : given
  if (Number(options?.port) === 8545) options.port = process.env.NODE_PORT
  return connect.apply(this, given)
}
