// The verdicts of Cosmos' own code on the cases of ../go-cases.ts: 07-tendermint of ibc-go (which calls light of CometBFT and ics23), commitments
// and keys of its channel/v2, and CometBFT's ed25519. Prints each difference and a summary, and fails if there is one.
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/cometbft/cometbft/crypto/ed25519"
	"github.com/cosmos/cosmos-sdk/codec"
	codectypes "github.com/cosmos/cosmos-sdk/codec/types"
	"github.com/cosmos/cosmos-sdk/runtime"
	storetypes "github.com/cosmos/cosmos-sdk/store/v2/types"
	"github.com/cosmos/cosmos-sdk/testutil"
	sdk "github.com/cosmos/cosmos-sdk/types"

	clienttypes "github.com/cosmos/ibc-go/v11/modules/core/02-client/types"
	channeltypes "github.com/cosmos/ibc-go/v11/modules/core/04-channel/v2/types"
	commitmenttypes "github.com/cosmos/ibc-go/v11/modules/core/23-commitment/types/v2"
	host "github.com/cosmos/ibc-go/v11/modules/core/24-host/v2"
	"github.com/cosmos/ibc-go/v11/modules/core/exported"
	tendermint "github.com/cosmos/ibc-go/v11/modules/light-clients/07-tendermint"
)

// Bytes are in base64, as encoding/json reads them; times in Unix seconds.
type client struct {
	Id                          string
	ClientState, ConsensusState []byte
	Time                        int64
	Learned                     [][]byte
}
type verdict struct {
	From, Verdict string
	// Why the case was refused; and whether for its encoding or size alone, which Cosmos leaves to the decoding of transactions.
	Reason   string
	IsStrict bool
}
type update struct {
	verdict
	Client  string
	Message []byte
}
type proof struct {
	verdict
	Client       string
	Height       uint64
	Path         [][]byte
	Value, Proof []byte
	IsAbsence    bool
}
type packet struct {
	Sequence, TimeoutTimestamp                           uint64
	SourceClient, DestClient                             string
	SourcePort, DestPort, Version, Encoding              string
	Value, Commitment, CommitmentKey, ReceiptKey, AckKey []byte
	Acknowledgements                                     [][]byte
	AckCommitment                                        []byte
}
type signature struct {
	Key, Message, Signature []byte
	IsValid                 bool
}
type cases struct {
	Revision   uint64
	Now        int64
	Clients    []client
	Updates    []update
	Proofs     []proof
	Packets    []packet
	Signatures []signature
}

const refused = "refused"

type checker struct {
	same, stricter, different int
}

func (c *checker) compare(kind string, v verdict, got string, err error) {
	switch {
	case v.Verdict == got:
		c.same++
	case v.Verdict == refused && v.IsStrict:
		c.stricter++
	default:
		c.different++
		fmt.Printf("%s, from %s: kestrel says %s (%s), ibc-go %s (%v)\n", kind, v.From, v.Verdict, v.Reason, got, err)
	}
}

func (c *checker) expect(what string, is bool) {
	if is {
		c.same++
	} else {
		c.different++
		fmt.Println(what, "differs")
	}
}

func main() {
	raw, err := os.ReadFile(os.Args[1])
	must(err)
	var all cases
	must(json.Unmarshal(raw, &all))
	key := storetypes.NewKVStoreKey("ibc")
	ctx := testutil.DefaultContext(key, storetypes.NewTransientStoreKey("transient")).WithBlockHeight(1)
	registry := codectypes.NewInterfaceRegistry()
	clienttypes.RegisterInterfaces(registry)
	tendermint.RegisterInterfaces(registry)
	cdc := codec.NewProtoCodec(registry)
	module := tendermint.NewLightClientModule(cdc, clienttypes.NewStoreProvider(runtime.NewKVStoreService(key)))
	for _, one := range all.Clients {
		at := ctx.WithBlockTime(time.Unix(one.Time, 0).UTC())
		must(module.Initialize(at, one.Id, one.ClientState, one.ConsensusState))
		for _, message := range one.Learned {
			if got, err := updated(at, cdc, module, one.Id, message); got != "update" {
				must(fmt.Errorf("a header of the client is %s: %w", got, err))
			}
		}
	}
	ctx = ctx.WithBlockTime(time.Unix(all.Now, 0).UTC())
	c := &checker{}
	for _, one := range all.Updates {
		branch, _ := ctx.CacheContext()
		got, err := updated(branch, cdc, module, one.Client, one.Message)
		c.compare("update", one.verdict, got, err)
	}
	for _, one := range all.Proofs {
		got, err := proven(ctx, module, all.Revision, one)
		c.compare("proof", one.verdict, got, err)
	}
	for _, one := range all.Packets {
		payload := channeltypes.NewPayload(one.SourcePort, one.DestPort, one.Version, one.Encoding, one.Value)
		sent := channeltypes.NewPacket(one.Sequence, one.SourceClient, one.DestClient, one.TimeoutTimestamp, payload)
		c.expect("commitment of a packet", bytes.Equal(channeltypes.CommitPacket(sent), one.Commitment))
		c.expect("key of a commitment", bytes.Equal(host.PacketCommitmentKey(one.SourceClient, one.Sequence), one.CommitmentKey))
		c.expect("key of a receipt", bytes.Equal(host.PacketReceiptKey(one.DestClient, one.Sequence), one.ReceiptKey))
		c.expect("key of an acknowledgement", bytes.Equal(host.PacketAcknowledgementKey(one.DestClient, one.Sequence), one.AckKey))
		ack := channeltypes.NewAcknowledgement(one.Acknowledgements...)
		c.expect("commitment of an acknowledgement", bytes.Equal(channeltypes.CommitAcknowledgement(ack), one.AckCommitment))
	}
	for _, one := range all.Signatures {
		is := len(one.Key) == ed25519.PubKeySize && ed25519.PubKey(one.Key).VerifySignature(one.Message, one.Signature)
		c.expect(fmt.Sprintf("signature %x by %x", one.Signature, one.Key), is == one.IsValid)
	}
	fmt.Printf("%d updates, %d proofs, %d packets, %d signatures: %d verdicts are the same, %d stricter for the encoding or size, %d different\n",
		len(all.Updates), len(all.Proofs), len(all.Packets), len(all.Signatures), c.same, c.stricter, c.different)
	if c.different > 0 {
		os.Exit(1)
	}
}

// What MsgUpdateClient does with a message of a client.
func updated(ctx sdk.Context, cdc codec.Codec, module tendermint.LightClientModule, id string, message []byte) (got string, err error) {
	defer recovered(&got, &err)
	var read exported.ClientMessage
	if err := cdc.UnmarshalInterface(message, &read); err != nil {
		return refused, err
	}
	// Its client id is deprecated: kestrel does not read it, ibc-go only its form.
	if two, is := read.(*tendermint.Misbehaviour); is {
		two.ClientId = id
	}
	if err := read.ValidateBasic(); err != nil {
		return refused, err
	}
	if status := module.Status(ctx, id); status != exported.Active {
		return refused, fmt.Errorf("client is %s", status)
	}
	if err := module.VerifyClientMessage(ctx, id, read); err != nil {
		return refused, err
	}
	if module.CheckForMisbehaviour(ctx, id, read) {
		module.UpdateStateOnMisbehaviour(ctx, id, read)
		return "misbehaviour", nil
	}
	if len(module.UpdateState(ctx, id, read)) == 0 {
		return refused, fmt.Errorf("nothing was updated")
	}
	return "update", nil
}

func proven(ctx sdk.Context, module tendermint.LightClientModule, revision uint64, one proof) (got string, err error) {
	defer recovered(&got, &err)
	height := clienttypes.NewHeight(revision, one.Height)
	path := commitmenttypes.NewMerklePath(one.Path...)
	if one.IsAbsence {
		err = module.VerifyNonMembership(ctx, one.Client, height, 0, 0, one.Proof, path)
	} else {
		err = module.VerifyMembership(ctx, one.Client, height, 0, 0, one.Proof, path, one.Value)
	}
	if err != nil {
		return refused, err
	}
	return "proven", nil
}

func recovered(got *string, err *error) {
	if reason := recover(); reason != nil {
		*got, *err = refused, fmt.Errorf("panic: %s", strings.TrimSpace(fmt.Sprint(reason)))
	}
}

func must(err error) {
	if err != nil {
		fmt.Println(err)
		os.Exit(2)
	}
}
