// Custom errors of widespread contracts, taken from their published ABIs. With these, reverts of contracts whose interfaces are not
// known are in words. A parameter whose name abitype reserves (`error`) has none here.
import { type Abi, parseAbi } from 'abitype'

/** OpenZeppelin 4.9 to 5.4. */
const OPENZEPPELIN = `
AccessControlBadConfirmation(); AccessControlEnforcedDefaultAdminDelay(uint48 schedule);
AccessControlEnforcedDefaultAdminRules(); AccessControlInvalidDefaultAdmin(address defaultAdmin);
AccessControlUnauthorizedAccount(address account, bytes32 neededRole); AccessManagedInvalidAuthority(address authority);
AccessManagedRequiredDelay(address caller, uint32 delay); AccessManagedUnauthorized(address caller);
AccessManagerAlreadyScheduled(bytes32 operationId); AccessManagerBadConfirmation(); AccessManagerExpired(bytes32 operationId);
AccessManagerInvalidInitialAdmin(address initialAdmin); AccessManagerLockedRole(uint64 roleId); AccessManagerNotReady(bytes32
operationId); AccessManagerNotScheduled(bytes32 operationId); AccessManagerUnauthorizedAccount(address msgsender, uint64
roleId); AccessManagerUnauthorizedCall(address caller, address target, bytes4 selector);
AccessManagerUnauthorizedCancel(address msgsender, address caller, address target, bytes4 selector);
AccessManagerUnauthorizedConsume(address target); AccountUnauthorized(address sender); AddressEmptyCode(address target);
AddressInsufficientBalance(address account); BeaconInvalidImplementation(address implementation);
CheckpointUnorderedInsertion(); CloneArgumentsTooLong(); Create2EmptyBytecode(); Create2FailedDeployment();
Create2InsufficientBalance(uint256 balance, uint256 needed); ECDSAInvalidSignature(); ECDSAInvalidSignatureLength(uint256
length); ECDSAInvalidSignatureS(bytes32 s); ERC1155InsufficientBalance(address sender, uint256 balance, uint256 needed,
uint256 tokenId); ERC1155InvalidApprover(address approver); ERC1155InvalidArrayLength(uint256 idsLength, uint256
valuesLength); ERC1155InvalidOperator(address operator); ERC1155InvalidReceiver(address receiver);
ERC1155InvalidSender(address sender); ERC1155MissingApprovalForAll(address operator, address owner);
ERC1363ApproveFailed(address spender, uint256 value); ERC1363InvalidReceiver(address receiver); ERC1363InvalidSpender(address
spender); ERC1363TransferFailed(address receiver, uint256 value); ERC1363TransferFromFailed(address sender, address receiver,
uint256 value); ERC1967InvalidAdmin(address admin); ERC1967InvalidBeacon(address beacon); ERC1967InvalidImplementation(address
implementation); ERC1967NonPayable(); ERC20ExceededCap(uint256 increasedSupply, uint256 cap); ERC20ExceededSafeSupply(uint256
increasedSupply, uint256 cap); ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);
ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed); ERC20InvalidApprover(address approver);
ERC20InvalidCap(uint256 cap); ERC20InvalidReceiver(address receiver); ERC20InvalidSender(address sender);
ERC20InvalidSpender(address spender); ERC20InvalidUnderlying(address token); ERC2612ExpiredSignature(uint256 deadline);
ERC2612InvalidSigner(address signer, address owner); ERC2771ForwarderExpiredRequest(uint48 deadline);
ERC2771ForwarderInvalidSigner(address signer, address from); ERC2771ForwarderMismatchedValue(uint256 requestedValue, uint256
msgValue); ERC2771UntrustfulTarget(address target, address forwarder); ERC2981InvalidDefaultRoyalty(uint256 numerator, uint256
denominator); ERC2981InvalidDefaultRoyaltyReceiver(address receiver); ERC2981InvalidTokenRoyalty(uint256 tokenId, uint256
numerator, uint256 denominator); ERC2981InvalidTokenRoyaltyReceiver(uint256 tokenId, address receiver);
ERC3156ExceededMaxLoan(uint256 maxLoan); ERC3156InvalidReceiver(address receiver); ERC3156UnsupportedToken(address token);
ERC4626ExceededMaxDeposit(address receiver, uint256 assets, uint256 max); ERC4626ExceededMaxMint(address receiver, uint256
shares, uint256 max); ERC4626ExceededMaxRedeem(address owner, uint256 shares, uint256 max); ERC4626ExceededMaxWithdraw(address
owner, uint256 assets, uint256 max); ERC5805FutureLookup(uint256 timepoint, uint48 clock); ERC6372InconsistentClock();
ERC6909InsufficientAllowance(address spender, uint256 allowance, uint256 needed, uint256 id);
ERC6909InsufficientBalance(address sender, uint256 balance, uint256 needed, uint256 id); ERC6909InvalidApprover(address
approver); ERC6909InvalidReceiver(address receiver); ERC6909InvalidSender(address sender); ERC6909InvalidSpender(address
spender); ERC721EnumerableForbiddenBatchMint(); ERC721ExceededMaxBatchMint(uint256 batchSize, uint256 maxBatch);
ERC721ForbiddenBatchBurn(); ERC721ForbiddenBatchMint(); ERC721ForbiddenMint(); ERC721IncorrectOwner(address sender, uint256
tokenId, address owner); ERC721InsufficientApproval(address operator, uint256 tokenId); ERC721InvalidApprover(address
approver); ERC721InvalidOperator(address operator); ERC721InvalidOwner(address owner); ERC721InvalidReceiver(address
receiver); ERC721InvalidSender(address sender); ERC721NonexistentToken(uint256 tokenId); ERC721OutOfBoundsIndex(address owner,
uint256 index); ERC721UnsupportedToken(address token); ERC7579AlreadyInstalledModule(uint256 moduleTypeId, address module);
ERC7579DecodingError(); ERC7579HookModuleAlreadyPresent(address hook); ERC7579MismatchedModuleTypeId(uint256 moduleTypeId,
address module); ERC7579MissingFallbackHandler(bytes4 selector); ERC7579UninstalledModule(uint256 moduleTypeId, address
module); ERC7579UnsupportedCallType(bytes1 callType); ERC7579UnsupportedExecType(bytes1 execType);
ERC7579UnsupportedModuleType(uint256 moduleTypeId); EnforcedPause(); EnumerableMapNonexistentBytesKey(bytes key);
EnumerableMapNonexistentKey(bytes32 key); ExpectedPause(); FailedCall(); FailedDeployment(); FailedInnerCall();
FailedOp(uint256 opIndex, string reason); FailedOpWithRevert(uint256 opIndex, string reason, bytes inner);
GovernorAlreadyCastVote(address voter); GovernorAlreadyInitializedLatestProposalId(); GovernorAlreadyOverriddenVote(address
account); GovernorAlreadyQueuedProposal(uint256 proposalId); GovernorDisabledDeposit(); GovernorExceedRemainingWeight(address
voter, uint256 usedVotes, uint256 remainingWeight); GovernorInsufficientProposerVotes(address proposer, uint256 votes, uint256
threshold); GovernorInvalidProposalLength(uint256 targets, uint256 calldatas, uint256 values);
GovernorInvalidQuorumFraction(uint256 quorumNumerator, uint256 quorumDenominator); GovernorInvalidQuorumTooLarge(uint256
quorumNumerator, uint256 superQuorumNumerator); GovernorInvalidSignature(address voter);
GovernorInvalidSuperQuorumFraction(uint256 superQuorumNumerator, uint256 denominator);
GovernorInvalidSuperQuorumTooSmall(uint256 superQuorumNumerator, uint256 quorumNumerator); GovernorInvalidVoteParams();
GovernorInvalidVoteType(); GovernorInvalidVotingPeriod(uint256 votingPeriod); GovernorLockedIgnore();
GovernorMismatchedNonce(uint256 proposalId, uint256 expectedNonce, uint256 actualNonce); GovernorNonexistentProposal(uint256
proposalId); GovernorNotQueuedProposal(uint256 proposalId); GovernorOnlyExecutor(address account);
GovernorQueueNotImplemented(); GovernorRestrictedProposer(address proposer); GovernorUnableToCancel(uint256 proposalId,
address account); GovernorUnexpectedProposalState(uint256 proposalId, uint8 current, bytes32 expectedStates);
GovernorUnmetDelay(uint256 proposalId, uint256 neededTimestamp); InsufficientBalance(uint256 balance, uint256 needed);
InvalidAccountNonce(address account, uint256 currentNonce); InvalidBufferSize(); InvalidCliffDuration(uint64 cliffSeconds,
uint64 durationSeconds); InvalidInitialization(); InvalidShortString(); MathOverflowedMulDiv();
MerkleProofInvalidMultiproof(); MerkleTreeUpdateInvalidIndex(uint256 index, uint256 length); MerkleTreeUpdateInvalidProof();
MissingPrecompile(address); MultiSignerERC7913AlreadyExists(bytes signer); MultiSignerERC7913InvalidSigner(bytes signer);
MultiSignerERC7913NonexistentSigner(bytes signer); MultiSignerERC7913UnreachableThreshold(uint64 signers, uint64 threshold);
MultiSignerERC7913WeightedInvalidWeight(bytes signer, uint64 weight); MultiSignerERC7913WeightedMismatchedLength();
MultiSignerERC7913ZeroThreshold(); NotInitializing(); OutOfRangeAccess(); OwnableInvalidOwner(address owner);
OwnableUnauthorizedAccount(address account); ProxyDeniedAdminAccess(); ReentrancyGuardReentrantCall();
SafeCastOverflowedIntDowncast(uint8 bits, int256 value); SafeCastOverflowedIntToUint(int256 value);
SafeCastOverflowedUintDowncast(uint8 bits, uint256 value); SafeCastOverflowedUintToInt(uint256 value);
SafeERC20FailedDecreaseAllowance(address spender, uint256 currentAllowance, uint256 requestedDecrease);
SafeERC20FailedOperation(address token); SignerP256InvalidPublicKey(bytes32 qx, bytes32 qy); StringTooLong(string str);
StringsInsufficientHexLength(uint256 value, uint256 length); StringsInvalidAddressFormat(); StringsInvalidChar();
TimelockInsufficientDelay(uint256 delay, uint256 minDelay); TimelockInvalidOperationLength(uint256 targets, uint256 payloads,
uint256 values); TimelockUnauthorizedCaller(address caller); TimelockUnexecutedPredecessor(bytes32 predecessorId);
TimelockUnexpectedOperationState(bytes32 operationId, bytes32 expectedStates); UUPSUnauthorizedCallContext();
UUPSUnsupportedProxiableUUID(bytes32 slot); UnsupportedExecutionMode(); VotesExpiredSignature(uint256 expiry)`

/** ERC-4337, EntryPoint 0.6 to 0.8. */
const ACCOUNT_ABSTRACTION = `
DelegateAndRevert(bool success, bytes ret); ExecuteError(uint256 index, bytes); ExecutionResult(uint256 preOpGas,
uint256 paid, uint48 validAfter, uint48 validUntil, bool targetSuccess, bytes targetResult); PostOpReverted(bytes returnData);
SenderAddressResult(address sender); SignatureValidationFailed(address aggregator); ValidationResult((uint256 preOpGas,
uint256 prefund, bool sigFailed, uint48 validAfter, uint48 validUntil, bytes paymasterContext) returnInfo, (uint256 stake,
uint256 unstakeDelaySec) senderInfo, (uint256 stake, uint256 unstakeDelaySec) factoryInfo, (uint256 stake, uint256
unstakeDelaySec) paymasterInfo); ValidationResultWithAggregation((uint256 preOpGas, uint256 prefund, bool sigFailed, uint48
validAfter, uint48 validUntil, bytes paymasterContext) returnInfo, (uint256 stake, uint256 unstakeDelaySec) senderInfo,
(uint256 stake, uint256 unstakeDelaySec) factoryInfo, (uint256 stake, uint256 unstakeDelaySec) paymasterInfo, (address
aggregator, (uint256 stake, uint256 unstakeDelaySec) stakeInfo) aggregatorInfo)`

/** Uniswap: Permit2, v4, Universal Router. */
const UNISWAP = `
AllowanceExpired(uint256 deadline); AlreadySubscribed(uint256 tokenId, address subscriber); AlreadyUnlocked();
BalanceTooLow(); BurnNotificationReverted(address subscriber, bytes reason); CannotUpdateEmptyPosition(); ContractLocked();
CurrenciesOutOfOrderOrEqual(address currency0, address currency1); CurrencyNotSettled(); DeadlinePassed(uint256 deadline);
DelegateCallNotAllowed(); DeltaNotNegative(address currency); DeltaNotPositive(address currency); ERC20TransferFailed();
ETHNotAccepted(); ExactInputNotSupported(); ExactOutputNotSupported(); ExcessiveInvalidation(); ExecutionFailed(uint256
commandIndex, bytes message); FromAddressIsNotOwner(); GasLimitTooLow(); HookAddressNotValid(address hooks); HookCallFailed();
HookDeltaExceedsSwapAmount(); HookNotImplemented(); InputLengthMismatch(); InsufficientAllowance(uint256 amount);
InsufficientBalance(); InsufficientETH(); InsufficientToken(); InvalidAction(bytes4 action); InvalidAddressLength(uint256
len); InvalidAmount(uint256 maxAmount); InvalidBips(); InvalidCaller(); InvalidCommandType(uint256 commandType);
InvalidContractSignature(); InvalidEthSender(); InvalidFeeForExactOut(); InvalidHookResponse(); InvalidHopSlippageLength();
InvalidPath(); InvalidPoolFee(); InvalidPoolToken(); InvalidPrice(); InvalidPriceOrLiquidity(); InvalidReserves();
InvalidSignature(); InvalidSignatureLength(); InvalidSigner(); InvalidSqrtPrice(uint160 sqrtPriceX96); InvalidTick(int24
tick); InvalidTokenId(uint256 tokenId); LPFeeTooLarge(uint24 fee); LengthMismatch(); LiquidityNotAllowed(); ManagerLocked();
MaximumAmountExceeded(uint128 maximumAmount, uint128 amountRequested); MinimumAmountInsufficient(uint128 minimumAmount,
uint128 amountReceived); ModifyLiquidityNotificationReverted(address subscriber, bytes reason); MustClearExactPositiveDelta();
NativeTransferFailed(); NoCodeSubscriber(); NoLiquidityToReceiveFees(); NoSelfPermit(); NonceAlreadyUsed();
NonzeroNativeValue(); NotApproved(address caller); NotAuthorizedForToken(uint256 tokenId); NotEnoughLiquidity();
NotEnoughLiquidity(bytes32 poolId); NotPoolManager(); NotSelf(); NotSubscribed(); OnlyMintAllowed(); PoolAlreadyInitialized();
PoolManagerMustBeLocked(); PoolNotInitialized(); PriceLimitAlreadyExceeded(uint160 sqrtPriceCurrentX96, uint160
sqrtPriceLimitX96); PriceLimitOutOfBounds(uint160 sqrtPriceLimitX96); PriceOverflow(); ProtocolFeeCurrencySynced();
ProtocolFeeTooLarge(uint24 fee); QuoteSwap(uint256 amount); SafeCastOverflow(); SignatureDeadlineExpired();
SignatureExpired(uint256 signatureDeadline); SliceOutOfBounds(); SubscriptionReverted(address subscriber, bytes reason);
SwapAmountCannotBeZero(); TickLiquidityOverflow(int24 tick); TickLowerOutOfBounds(int24 tickLower); TickMisaligned(int24 tick,
int24 tickSpacing); TickSpacingTooLarge(int24 tickSpacing); TickSpacingTooSmall(int24 tickSpacing); TickUpperOutOfBounds(int24
tickUpper); TicksMisordered(int24 tickLower, int24 tickUpper); TransactionDeadlinePassed(); Unauthorized();
UnauthorizedDynamicLPFeeUpdate(); UnexpectedCallSuccess(); UnexpectedRevertBytes(bytes revertData); UnsafeCast();
UnsupportedAction(uint256 action); UnsupportedProtocolError(); V2InvalidPath(); V2TooLittleReceived(); V2TooMuchRequested();
V3InvalidAmountOut(); V3InvalidCaller(); V3InvalidSwap(); V3TooLittleReceived(); V3TooMuchRequested();
V4TooLittleReceived(uint256 minAmountOutReceived, uint256 amountReceived); V4TooLittleReceivedPerHop(uint256 hopIndex, uint256
maxPrice, uint256 price); V4TooMuchRequested(uint256 maxAmountInRequested, uint256 amountRequested);
V4TooMuchRequestedPerHop(uint256 hopIndex, uint256 maxPrice, uint256 price); WrappedError(address target, bytes4 selector,
bytes reason, bytes details)`

const errorsIn = (text: string): string[] =>
  text.split(';').map((error) => `error ${error.replace(/\s+/g, ' ').trim()}`)

/** Parses the list; the caller keeps the result. */
export const knownErrors = (): Abi => parseAbi([OPENZEPPELIN, ACCOUNT_ABSTRACTION, UNISWAP].flatMap(errorsIn))
