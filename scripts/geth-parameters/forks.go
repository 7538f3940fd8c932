package main

import (
	"math/big"

	"github.com/ethereum/go-ethereum/params"
)

const first = "chainstart"

// fork is a chain that has the fork, by the node's name of it, from its beginning on.
type fork struct {
	name   string
	merged bool
	config *params.ChainConfig
}

func (f fork) rules() params.Rules { return f.config.Rules(new(big.Int), f.merged, 0) }

// step switches a fork on.
type step struct {
	name string
	on   func(*params.ChainConfig)
}

var zero = uint64(0)

var steps = []step{
	{first, func(*params.ChainConfig) {}},
	{"homestead", func(c *params.ChainConfig) { c.HomesteadBlock = new(big.Int) }},
	{"dao", func(c *params.ChainConfig) {}},
	{"tangerineWhistle", func(c *params.ChainConfig) { c.EIP150Block = new(big.Int) }},
	{"spuriousDragon", func(c *params.ChainConfig) { c.EIP155Block, c.EIP158Block = new(big.Int), new(big.Int) }},
	{"byzantium", func(c *params.ChainConfig) { c.ByzantiumBlock = new(big.Int) }},
	{"constantinople", func(c *params.ChainConfig) {
		// Without a number of its own Petersburg comes with Constantinople.
		c.ConstantinopleBlock, c.PetersburgBlock = new(big.Int), big.NewInt(1<<40)
	}},
	{"petersburg", func(c *params.ChainConfig) { c.PetersburgBlock = new(big.Int) }},
	{"istanbul", func(c *params.ChainConfig) { c.IstanbulBlock = new(big.Int) }},
	{"muirGlacier", func(c *params.ChainConfig) { c.MuirGlacierBlock = new(big.Int) }},
	{"berlin", func(c *params.ChainConfig) { c.BerlinBlock = new(big.Int) }},
	{"london", func(c *params.ChainConfig) { c.LondonBlock = new(big.Int) }},
	{"arrowGlacier", func(c *params.ChainConfig) { c.ArrowGlacierBlock = new(big.Int) }},
	{"grayGlacier", func(c *params.ChainConfig) { c.GrayGlacierBlock = new(big.Int) }},
	{"paris", func(c *params.ChainConfig) { c.TerminalTotalDifficulty = new(big.Int) }},
	{"shanghai", func(c *params.ChainConfig) { c.ShanghaiTime = &zero }},
	{"cancun", func(c *params.ChainConfig) { c.CancunTime = &zero }},
	{"prague", func(c *params.ChainConfig) { c.PragueTime = &zero }},
	{"osaka", func(c *params.ChainConfig) { c.OsakaTime = &zero }},
	{"bpo1", func(c *params.ChainConfig) { c.BPO1Time = &zero }},
	{"bpo2", func(c *params.ChainConfig) { c.BPO2Time = &zero }},
	{"bpo3", func(c *params.ChainConfig) { c.BPO3Time = &zero }},
	{"bpo4", func(c *params.ChainConfig) { c.BPO4Time = &zero }},
	{"bpo5", func(c *params.ChainConfig) { c.BPO5Time = &zero }},
	{"amsterdamOpcodes", func(c *params.ChainConfig) { c.BogotaTime = &zero }},
	{"amsterdam", func(c *params.ChainConfig) { c.BogotaTime, c.AmsterdamTime = nil, &zero }},
	{"bogota", func(c *params.ChainConfig) { c.BogotaTime = &zero }},
}

// The limits of blobs in all forks: probes are not about them.
var schedule = &params.BlobScheduleConfig{
	Cancun: params.DefaultPragueBlobConfig, Prague: params.DefaultPragueBlobConfig,
	BPO1: params.DefaultPragueBlobConfig, BPO2: params.DefaultPragueBlobConfig, BPO3: params.DefaultPragueBlobConfig,
	BPO4: params.DefaultPragueBlobConfig, BPO5: params.DefaultPragueBlobConfig,
}

var forks = func() []fork {
	var out []fork
	so := params.ChainConfig{ChainID: big.NewInt(1), BlobScheduleConfig: schedule}
	merged := false
	for _, s := range steps {
		s.on(&so)
		merged = merged || s.name == "paris"
		config := so
		out = append(out, fork{s.name, merged, &config})
	}
	return out
}()

func names() []string {
	var out []string
	for _, f := range forks {
		out = append(out, f.name)
	}
	return out
}
