// The page of one packet over a client of IBC: its way, its transactions, and what it carries.
import { Link } from 'wouter-preact'
import { type Answer, api, useBlockVersion, useRead } from '../api.ts'
import { utcTime } from '../format.ts'
import { useTitle } from '../location.ts'
import { DenomAmount, useBaseDenomination } from '../native/amounts.tsx'
import { PacketStatus, Party } from '../native/packets.tsx'
import { MissingRecord } from '../parts/missing.tsx'
import { BlockLink, Cut, Fields, LoadedPage, Raw, Time, TransactionLink } from '../parts.tsx'
import '../native/native.css'

type Packet = Answer<'/native/packets/{client}/{direction}/{sequence}'>

export default function PacketPage(of: { client: string; direction: string; sequence: string }) {
  const { client, sequence } = of
  const direction = of.direction === 'received' ? 'received' : 'sent'
  const path = api('/native/packets/{client}/{direction}/{sequence}', { client, direction, sequence })
  const reading = useRead(path, useBlockVersion())
  useTitle(`Packet ${sequence.slice(0, 20)}`)
  const asked = `${client} ${of.direction} ${sequence}`
  return (
    <LoadedPage reading={reading} name="Packet" missing={<MissingRecord asked={asked} />}>
      {(packet) => <Record of={packet} />}
    </LoadedPage>
  )
}

function Place({ of }: { of: NonNullable<Packet['ended']> }) {
  return (
    <>
      <TransactionLink hash={of.transaction_hash} />{' '}
      <span class="faint">
        in block <BlockLink number={of.block_number} />, <Time at={of.timestamp} />
      </span>
    </>
  )
}

function Record({ of }: { of: Packet }) {
  const base = useBaseDenomination()
  const isSent = of.direction === 'sent'
  const end = ({ channel }: Packet['source'], isHere: boolean) =>
    isHere ? <Link href={`/client/${channel}`}>{channel}</Link> : <Cut text={channel} />
  return (
    <section class="card">
      <h1>
        Packet {of.sequence} <PacketStatus of={of} />
      </h1>
      <Fields
        of={{
          Way: isSent ? 'sent by this chain' : 'received by this chain',
          'From client': end(of.source, isSent),
          'To client': end(of.destination, !isSent),
          [isSent ? 'Sent' : 'Received']: <Place of={of} />,
          [of.status === 'timeout' ? 'Timed out' : 'Acknowledged']: of.ended === null ? null : <Place of={of.ended} />,
          Timeout: of.timeout_time === null ? null : utcTime(of.timeout_time),
          Sender: of.sender_text === null ? null : <Party text={of.sender_text} known={of.sender} full />,
          Receiver: of.receiver === null ? null : <Party text={of.receiver} known={of.receiver_address} full />,
          Amount:
            of.denom === null || of.amount === null ? null : (
              <DenomAmount of={{ denom: of.denom, amount: of.amount }} base={base} />
            ),
          Note:
            of.memo === null || of.memo === '' ? null : (
              <Raw label="Note">
                <bdi>{of.memo}</bdi>
              </Raw>
            ),
          Ports: <Cut text={`${of.source.port} to ${of.destination.port}`} />,
          Application: <Cut text={`${of.version}, ${of.encoding}`} />,
          Data: <Bytes of={of.data} label="Data" />,
          Acknowledgement:
            of.acknowledgement === null ? null : <Bytes of={of.acknowledgement} label="Acknowledgement" />,
        }}
      />
    </section>
  )
}

const Bytes = ({ of, label }: { of: string; label: string }) => (
  <Raw label={label}>
    <code>{of}</code>
  </Raw>
)
