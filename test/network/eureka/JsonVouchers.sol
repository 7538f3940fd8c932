// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

struct Payload {
    string sourcePort;
    string destPort;
    string version;
    string encoding;
    bytes value;
}

struct OnRecvPacketCallback {
    string sourceClient;
    string destinationClient;
    uint64 sequence;
    Payload payload;
    address relayer;
}

/// An application of eureka's router for tests: it takes transfers in JSON, as kestrel writes them, and counts vouchers.
contract JsonVouchers {
    address private immutable router;
    mapping(string denom => mapping(address account => uint256)) public balanceOf;

    constructor(address router_) {
        router = router_;
    }

    function onRecvPacket(OnRecvPacketCallback calldata msg_) external returns (bytes memory) {
        require(msg.sender == router, "not the router");
        require(keccak256(bytes(msg_.payload.encoding)) == keccak256("application/json"), "not JSON");
        bytes memory data = msg_.payload.value;
        string memory prefix = string.concat(msg_.payload.destPort, "/", msg_.destinationClient, "/");
        string memory denom = string.concat(prefix, string(field(data, '"denom":"')));
        address receiver = address(uint160(number(field(data, '"receiver":"0x'), 16)));
        balanceOf[denom][receiver] += number(field(data, '"amount":"'), 10);
        return '{"result":"AQ=="}';
    }

    /// The text from a key to the next quotation mark.
    function field(bytes memory data, bytes memory key) private pure returns (bytes memory text) {
        uint256 start = 0;
        uint256 same = 0;
        while (same < key.length) {
            require(start < data.length, "no such field");
            same = data[start] == key[same] ? same + 1 : data[start] == key[0] ? 1 : 0;
            start++;
        }
        uint256 end = start;
        while (data[end] != '"') end++;
        text = new bytes(end - start);
        for (uint256 i = 0; i < text.length; i++) text[i] = data[start + i];
    }

    function number(bytes memory digits, uint256 base) private pure returns (uint256 value) {
        for (uint256 i = 0; i < digits.length; i++) {
            uint8 digit = uint8(digits[i]);
            // 'a' and 'A' follow in hex.
            digit -= digit >= 97 ? 87 : digit >= 65 ? 55 : 48;
            require(digit < base, "not a number");
            value = value * base + digit;
        }
    }
}
