// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// @title Native contracts in Foundry's EVM
/// @notice On the chain the code of a native contract (`Staking.sol` and the others) is part of the node, and Foundry's own EVM does not
/// have it. `Kestrel.etch()` in `setUp()`, or at the beginning of a script's `run()`, puts a forwarder at each of them: calls then run on
/// the node whose chain is forked, on the state as the test has left it, and their changes are made here.
///
///     function setUp() public {
///         Kestrel.etch();
///     }
///
/// @dev Forwarders belong to the fork that is active: call it again after `createSelectFork` and `rollFork`.
library Kestrel {
    /// @dev Foundry decodes an object of JSON with its members in alphabetical order.
    struct Native {
        address account;
        string name;
    }

    /// @notice Puts a forwarder at each native contract, module account and voucher of the active fork. Needs a kestrel node behind the fork.
    function etch() internal {
        Native[] memory natives = abi.decode(CHEATS.rpc("kestrel_getNativeContracts", "[]"), (Native[]));
        for (uint256 i = 0; i < natives.length; i++) {
            address native = natives[i].account;
            CHEATS.allowCheatcodes(native);
            // The code of a forwarder ends with its address.
            CHEATS.etch(native, abi.encodePacked(type(NativeForwarder).runtimeCode, native));
            CHEATS.label(native, natives[i].name);
        }
    }
}

// --- cheatcodes

interface Cheats {
    enum CallerMode {
        None,
        Broadcast,
        RecurrentBroadcast,
        Prank,
        RecurrentPrank
    }

    function allowCheatcodes(address account) external;
    function deal(address account, uint256 balance) external;
    function etch(address account, bytes calldata code) external;
    function label(address account, string calldata name) external;
    function load(address account, bytes32 key) external view returns (bytes32 word);
    function pauseGasMetering() external;
    function pauseTracing() external;
    function prank(address sender, bool delegateCall) external;
    function readCallers() external returns (CallerMode mode, address sender, address origin);
    function resumeGasMetering() external;
    function resumeTracing() external;
    function rpc(string calldata method, string calldata params) external returns (bytes memory result);
    function startPrank(address sender, bool delegateCall) external;
    function stopPrank() external;
    function store(address account, bytes32 key, bytes32 word) external;
    function toString(bytes calldata value) external pure returns (string memory text);
}

Cheats constant CHEATS = Cheats(address(uint160(uint256(keccak256("hevm cheat code")))));

// --- forwarders

/// @dev The code of all native contracts on the chain: the opcode INVALID.
bytes constant NATIVE_CODE = hex"fe";
/// @dev The input of messages of a forwarder to itself, and a slot that stays zero.
bytes32 constant OWN = keccak256("kestrel.forge");
/// @dev Gas of a forwarder beside that of the node.
uint256 constant OWN_GAS = 150;
/// @dev Has the coins that native code has burnt.
address constant ELSEWHERE = address(uint160(uint256(keccak256("kestrel.forge.elsewhere"))));

abstract contract Logs {
    struct Log {
        address emitter;
        bytes32[] topics;
        bytes data;
    }

    function writeLog(Log memory log) internal {
        bytes32[] memory topics = log.topics;
        bytes memory data = log.data;
        assembly {
            let at := add(data, 32)
            let size := mload(data)
            let topic := add(topics, 32)
            switch mload(topics)
            case 0 { log0(at, size) }
            case 1 { log1(at, size, mload(topic)) }
            case 2 { log2(at, size, mload(topic), mload(add(topic, 32))) }
            case 3 { log3(at, size, mload(topic), mload(add(topic, 32)), mload(add(topic, 64))) }
            default { log4(at, size, mload(topic), mload(add(topic, 32)), mload(add(topic, 64)), mload(add(topic, 96))) }
        }
    }
}

/// @dev The node does not know what a test has changed, so each of its answers has all that the call has read. Where this EVM has other
/// values the call runs again with these, until nothing differs: each run is right up to the first value that was not.
contract NativeForwarder is Logs {
    struct Slot {
        bytes32 key;
        bytes32 word;
    }

    struct Account {
        address account;
        uint256 balance;
        bytes32 codeHash;
        bytes code;
        Slot[] slots;
    }

    struct Call {
        address origin;
        address sender;
        address to;
        uint256 value;
        bytes data;
        uint256 gas;
        bool isStatic;
        uint256 number;
        uint256 time;
        address coinbase;
    }

    /// @dev `before` has all that the call has read or changed; `later` the same accounts and slots after it, if it succeeded.
    struct Outcome {
        bool success;
        bytes output;
        uint256 gasUsed;
        Log[] logs;
        Account[] before;
        Account[] later;
    }

    fallback() external payable {
        uint256 start = gasleft();
        address native = nativeAddress();
        if (address(this) != native) {
            // DELEGATECALL and CALLCODE: native code then changes nothing, as with STATICCALL.
            (bool isRead, bytes memory read) = native.staticcall(msg.data);
            finish(isRead, read);
        }
        if (msg.data.length == 32 && abi.decode(msg.data, (bytes32)) == OWN) {
            probe();
            return;
        }
        CHEATS.pauseTracing();
        bool isMetered = pauseGasMetering();
        Outcome memory outcome = run(start);
        CHEATS.resumeTracing();
        for (uint256 i = 0; i < outcome.logs.length; i++) emitAs(outcome.logs[i]);
        if (isMetered) {
            CHEATS.resumeGasMetering();
            useGas(start, outcome.gasUsed);
        }
        finish(outcome.success, outcome.output);
    }

    /// Until this much gas is used, with that before and after.
    function useGas(uint256 start, uint256 amount) private view {
        uint256 own = OWN_GAS;
        assembly {
            for {} lt(add(sub(start, gas()), own), amount) {} {}
        }
    }

    function finish(bool success, bytes memory output) private pure {
        assembly {
            if success { return(add(output, 32), mload(output)) }
            revert(add(output, 32), mload(output))
        }
    }

    /// Runs the call on the node and makes its changes here.
    function run(uint256 gas) private returns (Outcome memory outcome) {
        Call memory message = Call({
            origin: tx.origin,
            sender: msg.sender,
            to: address(this),
            value: msg.value,
            data: msg.data,
            gas: gas,
            isStatic: isStatic(),
            number: block.number,
            time: block.timestamp,
            coinbase: block.coinbase
        });
        Account[] memory known = new Account[](0);
        do {
            string memory params = string.concat('["', CHEATS.toString(abi.encode(message, known)), '"]');
            outcome = abi.decode(CHEATS.rpc("kestrel_innerCall", params), (Outcome));
            known = outcome.before;
        } while (correct(known));
        for (uint256 i = 0; i < outcome.later.length; i++) change(outcome.before[i], outcome.later[i]);
        if (outcome.later.length > 0) moveCoins(outcome.later);
    }

    function isStatic() private returns (bool) {
        (bool canWrite,) = address(this).call{gas: 10_000}(abi.encode(OWN));
        return !canWrite;
    }

    /// Fails within a static call.
    function probe() private {
        bytes32 slot = OWN;
        assembly {
            sstore(slot, 0)
        }
    }

    /// Puts this EVM's values in the place of others; returns whether there were any.
    function correct(Account[] memory accounts) private view returns (bool differs) {
        for (uint256 i = 0; i < accounts.length; i++) {
            Account memory known = accounts[i];
            uint256 balance = known.account.balance;
            // The value of the message, which the node has not moved yet.
            if (known.account == msg.sender) balance += msg.value;
            if (known.account == address(this)) balance -= msg.value;
            bytes32 codeHash = codeHashOf(known.account);
            if (balance != known.balance || codeHash != known.codeHash) differs = true;
            (known.balance, known.codeHash) = (balance, codeHash);
            for (uint256 j = 0; j < known.slots.length; j++) {
                Slot memory slot = known.slots[j];
                bytes32 word = CHEATS.load(known.account, slot.key);
                if (word != slot.word) differs = true;
                slot.word = word;
            }
        }
        for (uint256 i = 0; differs && i < accounts.length; i++) {
            accounts[i].code = isForwarder(accounts[i].account) ? NATIVE_CODE : accounts[i].account.code;
        }
    }

    function codeHashOf(address account) private view returns (bytes32 codeHash) {
        if (isForwarder(account)) return keccak256(NATIVE_CODE);
        codeHash = account.codehash;
        // An account that does not exist.
        if (codeHash == 0) codeHash = keccak256("");
    }

    /// Makes the changes of an account's storage and code.
    function change(Account memory before, Account memory later) private {
        for (uint256 j = 0; j < later.slots.length; j++) {
            Slot memory slot = later.slots[j];
            if (slot.word != before.slots[j].word) CHEATS.store(later.account, slot.key, slot.word);
        }
        if (later.codeHash != before.codeHash) CHEATS.etch(later.account, later.code);
    }

    /// Gives accounts their balances by way of this one: by transfers, which a revert undoes, while `vm.deal` stays.
    function moveCoins(Account[] memory accounts) private {
        (Cheats.CallerMode mode,,) = CHEATS.readCallers();
        bool isBroadcast = mode == Cheats.CallerMode.Broadcast || mode == Cheats.CallerMode.RecurrentBroadcast;
        uint256 own = address(this).balance;
        for (uint256 i = 0; i < accounts.length; i++) {
            (address from, uint256 target) = (accounts[i].account, accounts[i].balance);
            if (from == address(this)) own = target;
            // Foundry allows no prank during a broadcast.
            else if (isBroadcast) CHEATS.deal(from, target);
            else if (from.balance > target) take(mode, from, from.balance - target);
        }
        for (uint256 i = 0; i < accounts.length; i++) {
            (address to, uint256 target) = (accounts[i].account, accounts[i].balance);
            if (to == address(this) || to.balance >= target) continue;
            uint256 amount = target - to.balance;
            if (address(this).balance < amount) {
                CHEATS.deal(ELSEWHERE, amount);
                take(mode, ELSEWHERE, amount);
            }
            give(to, amount);
        }
        if (address(this).balance > own) give(ELSEWHERE, address(this).balance - own);
    }

    function take(Cheats.CallerMode mode, address from, uint256 amount) private {
        prank(mode, from, false);
        (bool done,) = address(this).call{value: amount}(abi.encode(OWN));
        require(done, "kestrel: coins were not moved");
        endPrank(mode);
    }

    /// By a contract that destroys itself at once, so that the recipient's code does not run.
    function give(address to, uint256 amount) private {
        bytes memory code = abi.encodePacked(hex"73", to, hex"ff");
        address created;
        assembly {
            created := create(amount, add(code, 32), mload(code))
        }
        require(created != address(0), "kestrel: coins were not moved");
    }

    /// Emits the event of this contract, or of another that the native code has called.
    function emitAs(Log memory log) private {
        if (log.emitter == address(this)) {
            writeLog(log);
            return;
        }
        (Cheats.CallerMode mode,,) = CHEATS.readCallers();
        if (mode == Cheats.CallerMode.Broadcast || mode == Cheats.CallerMode.RecurrentBroadcast) return;
        address writer = address(new LogWriter());
        prank(mode, log.emitter, true);
        (bool done,) = writer.delegatecall(abi.encode(log));
        require(done, "kestrel: an event was not emitted");
        endPrank(mode);
    }

    /// Within `vm.startPrank` Foundry allows no `vm.prank`, and conversely.
    function prank(Cheats.CallerMode mode, address sender, bool delegateCall) private {
        if (mode == Cheats.CallerMode.RecurrentPrank) CHEATS.startPrank(sender, delegateCall);
        else CHEATS.prank(sender, delegateCall);
    }

    function endPrank(Cheats.CallerMode mode) private {
        if (mode == Cheats.CallerMode.RecurrentPrank) CHEATS.stopPrank();
    }

    /// Returns false if the test has paused it before.
    function pauseGasMetering() private returns (bool isMetered) {
        uint256 gas = gasleft();
        isMetered = gas != gasleft();
        if (isMetered) CHEATS.pauseGasMetering();
    }

    /// Without copying its code: Foundry charges for memory also while the metering is paused.
    function isForwarder(address account) private view returns (bool) {
        uint256 size = codeSize();
        if (account.code.length != size) return false;
        address end;
        assembly {
            mstore(0, 0)
            extcodecopy(account, 12, sub(size, 20), 20)
            end := mload(0)
        }
        return end == account;
    }

    function codeSize() private pure returns (uint256 size) {
        assembly {
            size := codesize()
        }
    }

    function nativeAddress() private pure returns (address native) {
        assembly {
            mstore(0, 0)
            codecopy(12, sub(codesize(), 20), 20)
            native := mload(0)
        }
    }
}

contract LogWriter is Logs {
    fallback() external {
        writeLog(abi.decode(msg.data, (Log)));
    }
}
