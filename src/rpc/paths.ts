// Where JSON-RPC is served, and the headers of its plain answers.

export const RPC_PATHS = ['/rpc', '/']
export const RPC_HEADERS = ['vary: Origin', 'x-content-type-options: nosniff']
