// Stops the node after the last file.
export default () => globalThis.node.stop()
