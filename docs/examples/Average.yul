// A contract with one function, average(uint256,uint256), that uses the opcode of average.mjs.
object "Average" {
    code {
        datacopy(0, dataoffset("runtime"), datasize("runtime"))
        return(0, datasize("runtime"))
    }
    object "runtime" {
        code {
            // The selector of average(uint256,uint256).
            if iszero(eq(shr(224, calldataload(0)), 0x2b7423ab)) { revert(0, 0) }
            // 0x0c: two words in, one word out.
            mstore(0, verbatim_2i_1o(hex"0c", calldataload(4), calldataload(36)))
            return(0, 32)
        }
    }
}
