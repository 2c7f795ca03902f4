import { Alert, Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconId, IconPackageImport, IconPill } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { LinkAnchor, LinkButton } from '~/client/links'
import { DrugMarks } from '~/features/medicines/drugs/DrugMarks'
import { drugTitle } from '~/features/medicines/drugs/drug'
import type { Drug } from '~/features/medicines/drugs/drugs.server'
import { drugRecord } from '~/records/drug'
import { permitsIn } from '~/policy/facts'
import { countStockAt, manageStock } from '~/policy/rules'
import { type Actor, isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { fieldColumns } from '~/ui/columns'
import { Details } from '~/ui/Details'
import { Page } from '~/ui/Page'
import type { Pagination } from '~/ui/Paging'
import type { Batch } from './batches.server'
import { BatchTable } from './BatchTable'
import { ClinicSelect } from './ClinicSelect'
import type { LedgerRow } from './ledger/ledger.server'
import { LedgerTable } from './ledger/LedgerTable'
import { OpenShortfall } from './OpenShortfall'
import { Quantity } from './Quantity'
import { ReceiveDialog } from './changes/ReceiveDialog'

type Named = { id: string; name: string }
type Props = {
  actor: Actor
  drug: Drug
  clinics: readonly Named[]
  clinic: Named
  /** In this clinic, and in all that the user may see. */
  batches: readonly Batch[]
  everywhere: readonly Batch[]
  ledger: { rows: readonly LedgerRow[]; pagination: Pagination; shortfall: number }
  /** The form to receive with is open from the start. */
  opening?: { batch_number?: string; expiry_date?: string }
}

/** One medicine in one clinic: its batches, and the story of what came and went. */
export function DrugStock({
  actor,
  drug,
  clinics,
  clinic,
  batches,
  everywhere,
  ledger,
  opening,
}: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const mayChange = permitsIn(manageStock, actor, clinic.id)
  const [received, setReceived] = useState<Partial<Batch> | null>(
    mayChange && opening ? opening : null,
  )
  const receive = mayChange && drug.is_active && (
    <Button
      leftSection={<IconPackageImport size={16} aria-hidden />}
      onClick={() => setReceived({})}
    >
      {say('inventory.receive')}
    </Button>
  )
  function close() {
    setReceived(null)
    if (opening) void navigate({ to: '.', search: { clinic: clinic.id }, replace: true })
  }
  return (
    <Page
      title={{ text: drugTitle(drug, say) }}
      crumbs={[
        { label: 'inventory.title', to: `/app/inventory/clinic-inventory?clinic=${clinic.id}` },
      ]}
      actions={
        <>
          <LinkButton
            variant="default"
            leftSection={<IconId size={16} aria-hidden />}
            to="/app/inventory/clinic-inventory/bin-card/$drugId"
            params={{ drugId: drug.id }}
            search={{ clinic: clinic.id }}
          >
            {say('inventory.binCard')}
          </LinkButton>
          {isAdmin(actor) && (
            <LinkButton
              variant="default"
              leftSection={<IconPill size={16} aria-hidden />}
              to="/app/inventory/drug-catalogue/edit/{-$drugId}"
              params={{ drugId: drug.id }}
            >
              {say('drugs.edit')}
            </LinkButton>
          )}
          {receive}
        </>
      }
    >
      <Group gap="xs">
        <ClinicSelect clinics={clinics} value={clinic.id} />
        <DrugMarks drug={drug} />
      </Group>
      {!drug.is_active && <Alert color="gray">{say('drugs.activeHint')}</Alert>}
      <Details
        row={drug}
        columns={fieldColumns(drugRecord.fields, [
          'ingredients',
          'form',
          'route',
          'barcode',
          'min_stock_level',
          'notes',
        ])}
      />
      <Elsewhere batches={everywhere} clinicId={clinic.id} />
      <Stack component="section" gap="xs">
        <Title order={2} size="h3">
          {say('batches.title')}
        </Title>
        <BatchTable
          batches={batches}
          clinic={clinic}
          clinics={clinics.filter(({ id }) => permitsIn(manageStock, actor, id))}
          mayChange={mayChange}
          onReceive={({ batch_number, expiry_date, manufacture_date, supplier_name }) =>
            setReceived({ batch_number, expiry_date, manufacture_date, supplier_name })
          }
          emptyAction={receive}
        />
      </Stack>
      <Stack component="section" gap="xs">
        <Title order={2} size="h3">
          {say('inventory.ledger')}
        </Title>
        <OpenShortfall quantity={ledger.shortfall}>
          {permitsIn(countStockAt, actor, clinic.id) && (
            <LinkAnchor
              size="sm"
              to="/app/inventory/clinic-inventory/shortfalls"
              search={{ clinic: clinic.id }}
            >
              {say('inventory.shortfalls')}
            </LinkAnchor>
          )}
        </OpenShortfall>
        <LedgerTable rows={ledger.rows} pagination={ledger.pagination} />
      </Stack>
      {received && (
        <ReceiveDialog drug={drug} clinic={clinic} batch={received as object} onClose={close} />
      )}
    </Page>
  )
}

/** Where else there is some, to be fetched from. */
function Elsewhere({ batches, clinicId }: { batches: readonly Batch[]; clinicId: string }) {
  const say = useSay()
  const sums = new Map<string, { name: string; quantity: number }>()
  for (const { stock, barred } of batches) {
    if (barred) continue
    for (const { clinic_id, clinic_name, quantity_available } of stock) {
      if (clinic_id === clinicId || quantity_available === 0) continue
      const sum = sums.get(clinic_id)?.quantity ?? 0
      sums.set(clinic_id, { name: clinic_name, quantity: sum + quantity_available })
    }
  }
  if (sums.size === 0) return null
  return (
    <Text size="sm" c="dimmed">
      {say('inventory.elsewhere')}{' '}
      {[...sums].map(([id, { name, quantity }], at) => (
        <span key={id}>
          {at > 0 && ' · '}
          <bdi>{name}</bdi>: <Quantity value={quantity} />
        </span>
      ))}
    </Text>
  )
}
