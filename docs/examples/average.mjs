// A new opcode: AVG, 0x0c. It takes two words from the stack and leaves their average, rounded down.
export default {
  number: 7,
  title: 'AVG: the average of two words',
  apply(table) {
    table.define(0x0c, 'AVG', {
      pops: 2,
      pushes: 1,
      constantGas: 5n,
      execute({ stack }) {
        const [a, b] = stack.popN(2)
        stack.push((a + b) / 2n)
      },
    })
  },
}
