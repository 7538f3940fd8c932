// SPDX-License-Identifier: MIT
pragma solidity >=0.8.17;

import "./Types.sol";

/// @dev Address of the contract.
address constant IBC_PRECOMPILE_ADDRESS = 0x0000000000000000000000000000000000000807;

/// @dev The contract at its address.
IBCI constant IBC_CONTRACT = IBCI(IBC_PRECOMPILE_ADDRESS);

/// @dev What a packet carries to an application.
struct Payload {
    /// Port of the application that sends it.
    string sourcePort;
    /// Port of the application that receives it.
    string destPort;
    /// Version of the application's protocol, for example `ics20-1`.
    string version;
    /// Media type of the value.
    string encoding;
    /// The application's data.
    bytes value;
}

/// @dev A packet of IBC version 2.
struct Packet {
    /// Number of the packet, counted from 1 by the sending client.
    uint64 sequence;
    /// Client of the receiving chain on the sending chain.
    string sourceClient;
    /// Client of the sending chain on the receiving chain.
    string destClient;
    /// Unix time in seconds from which on the receiving chain refuses the packet.
    uint64 timeoutTimestamp;
    /// One payload.
    Payload[] payloads;
}

/// @dev What an update of a client has done: taken a header, or frozen the client because its chain has forked.
enum UpdateResult {
    Update,
    Misbehaviour
}

/// @dev A client of another chain.
struct ClientInfo {
    /// Id of the client.
    string clientId;
    /// Text id of the other chain.
    string chainId;
    /// `Active`, `Expired` or `Frozen`.
    string status;
    /// Highest known height of the other chain.
    Height latestHeight;
    /// Unix time in seconds of that height.
    uint64 latestTime;
    /// Unix time in seconds at which the client expires if it is not updated.
    uint64 expiresAt;
    /// The account that has created the client.
    address creator;
    /// Client of this chain on the other chain; empty until it is registered.
    string counterpartyClientId;
    /// Keys of the other chain's stores above its packets.
    bytes[] counterpartyPrefix;
}

/// @title IBC
/// @notice Clients of other chains and packets between chains (ICS-02, ICS-04 and ICS-07; IBC version 2). Clients are light
/// clients of CometBFT. `updateClient`, `verifyMembership`, `verifyNonMembership` and `getClientState` are those of cosmos/evm.
interface IBCI {
    /// @notice Makes a client of another chain. Anyone may.
    /// @param clientState Client state of 07-tendermint, as protobuf.
    /// @param consensusState Consensus state at the client state's latest height, as protobuf.
    /// @return clientId Id of the client: `07-tendermint-0`.
    function createClient(bytes calldata clientState, bytes calldata consensusState) external returns (string memory clientId);

    /// @notice Names the other chain's client of this chain. Once, by the creator of the client.
    /// @param clientId Id of the client.
    /// @param counterpartyPrefix Keys of the other chain's stores above its packets: `ibc` and an empty key for a Cosmos chain.
    /// @param counterpartyClientId Id of this chain's client there.
    /// @return success Always true: a failure reverts.
    function registerCounterparty(string calldata clientId, bytes[] calldata counterpartyPrefix, string calldata counterpartyClientId) external returns (bool success);

    /// @notice Takes a header of the other chain, or a proof that it has forked, which freezes the client. Anyone may.
    /// @param clientId Id of the client.
    /// @param updateMsg Header or Misbehaviour of 07-tendermint, packed as google.protobuf.Any.
    /// @return result What was done.
    function updateClient(string calldata clientId, bytes calldata updateMsg) external returns (UpdateResult result);

    /// @notice Verifies that the other chain has a value. Reverts if the proof does not show it.
    /// @param clientId Id of the client.
    /// @param proof MerkleProof of ICS-23, as protobuf.
    /// @param proofHeight Height of the other chain, which the client must know.
    /// @param path Keys, from the outermost store inwards.
    /// @param value The value.
    /// @return timestamp Unix time in seconds of the height.
    function verifyMembership(string calldata clientId, bytes calldata proof, Height calldata proofHeight, bytes[] calldata path, bytes calldata value) external view returns (uint256 timestamp);

    /// @notice Verifies that the other chain has no value at a path. Reverts if the proof does not show it.
    /// @param clientId Id of the client.
    /// @param proof MerkleProof of ICS-23, as protobuf.
    /// @param proofHeight Height of the other chain, which the client must know.
    /// @param path Keys, from the outermost store inwards.
    /// @return timestamp Unix time in seconds of the height.
    function verifyNonMembership(string calldata clientId, bytes calldata proof, Height calldata proofHeight, bytes[] calldata path) external view returns (uint256 timestamp);

    /// @notice Returns the state of a client. Reverts for an unknown client.
    /// @param clientId Id of the client.
    /// @return clientState Client state of 07-tendermint, as protobuf.
    function getClientState(string calldata clientId) external view returns (bytes memory clientState);

    /// @notice Returns what a client keeps of a height. Reverts for an unknown height.
    /// @param clientId Id of the client.
    /// @param height Height of the other chain.
    /// @return consensusState Consensus state of 07-tendermint, as protobuf.
    function getConsensusState(string calldata clientId, Height calldata height) external view returns (bytes memory consensusState);

    /// @notice Returns a client. Reverts for an unknown one.
    /// @param clientId Id of the client.
    /// @return client The client.
    function getClient(string calldata clientId) external view returns (ClientInfo memory client);

    /// @notice Returns the clients in order of creation.
    /// @param pagination Part of the list to return.
    /// @return clients Clients.
    /// @return pageResponse Key of the next page, and the total if it was requested.
    function getClients(PageRequest calldata pagination) external view returns (ClientInfo[] memory clients, PageResponse memory pageResponse);

    /// @notice Returns what this chain stores of a packet that it has sent, until it ends.
    /// @param clientId Client that has sent it.
    /// @param sequence Its sequence.
    /// @return commitment Commitment of the packet; empty if it was not sent or has ended.
    function getPacketCommitment(string calldata clientId, uint64 sequence) external view returns (bytes memory commitment);

    /// @notice Returns what this chain stores of a packet that it has received.
    /// @param clientId Client that has received it.
    /// @param sequence Its sequence.
    /// @return commitment Commitment of the acknowledgements; empty if the packet was not received.
    function getPacketAcknowledgement(string calldata clientId, uint64 sequence) external view returns (bytes memory commitment);

    /// @notice Receives a packet of another chain. Anyone may. Does nothing if it was received before.
    /// @param packet The packet.
    /// @param proof Proof of its commitment, MerkleProof of ICS-23, as protobuf.
    /// @param proofHeight Height of the other chain.
    /// @return received Whether it was received now.
    function recvPacket(Packet calldata packet, bytes calldata proof, Height calldata proofHeight) external returns (bool received);

    /// @notice Ends a packet of this chain that the other chain has received. Anyone may. Does nothing if it has ended.
    /// @param packet The packet.
    /// @param acknowledgements The other chain's answers, one for each payload, or its universal error.
    /// @param proof Proof of the acknowledgements' commitment, MerkleProof of ICS-23, as protobuf.
    /// @param proofHeight Height of the other chain.
    /// @return ended Whether it has ended now.
    function acknowledgePacket(Packet calldata packet, bytes[] calldata acknowledgements, bytes calldata proof, Height calldata proofHeight) external returns (bool ended);

    /// @notice Ends a packet of this chain that the other chain had not received at its timeout. Anyone may. Does nothing if it has ended.
    /// @param packet The packet.
    /// @param proof Proof that there is no receipt, MerkleProof of ICS-23, as protobuf.
    /// @param proofHeight Height of the other chain whose time is at or after the timeout.
    /// @return ended Whether it has ended now.
    function timeoutPacket(Packet calldata packet, bytes calldata proof, Height calldata proofHeight) external returns (bool ended);

    /// @notice Emitted when a client is made.
    /// @param clientId Id of the client.
    /// @param creator The account that has made it.
    /// @param chainId Text id of the other chain.
    event CreateClient(string clientId, address indexed creator, string chainId);

    /// @notice Emitted when a counterparty is registered.
    /// @param clientId Id of the client.
    /// @param counterpartyClientId Id of this chain's client on the other chain.
    event RegisterCounterparty(string clientId, string counterpartyClientId);

    /// @notice Emitted when a client is updated or frozen.
    /// @param clientId Id of the client.
    /// @param trustedHeight The known header that it has verified the new one from; zeros for two headers that prove a fork.
    /// @param height The new header; zeros for two headers that prove a fork.
    /// @param result What the update has done.
    event UpdateClient(string clientId, Height trustedHeight, Height height, UpdateResult result);

    /// @notice Emitted when a packet is sent.
    /// @param clientId Client that sends it.
    /// @param sequence Its sequence.
    /// @param packet The packet.
    event SendPacket(string indexed clientId, uint256 indexed sequence, Packet packet);

    /// @notice Emitted when a packet is received, with the answers of its applications.
    /// @param clientId Client that receives it.
    /// @param sequence Its sequence.
    /// @param packet The packet.
    /// @param acknowledgements One answer for each payload, or the universal error.
    event WriteAcknowledgement(string indexed clientId, uint256 indexed sequence, Packet packet, bytes[] acknowledgements);

    /// @notice Emitted when a packet ends with its acknowledgements.
    /// @param clientId Client that had sent it.
    /// @param sequence Its sequence.
    /// @param packet The packet.
    /// @param acknowledgements The other chain's answers.
    event AcknowledgePacket(string indexed clientId, uint256 indexed sequence, Packet packet, bytes[] acknowledgements);

    /// @notice Emitted when a packet ends by its timeout.
    /// @param clientId Client that had sent it.
    /// @param sequence Its sequence.
    /// @param packet The packet.
    event TimeoutPacket(string indexed clientId, uint256 indexed sequence, Packet packet);
}
