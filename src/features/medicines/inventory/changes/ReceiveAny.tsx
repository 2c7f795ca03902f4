import { Alert, Group, Stack } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { LinkButton } from '~/client/links'
import { DrugPicker, type Scanned } from '~/features/medicines/drugs/DrugPicker'
import { permitsIn } from '~/policy/facts'
import { manageStock } from '~/policy/rules'
import { type Actor, isAdmin } from '~/shared/actor'
import { useSay } from '~/shared/say'
import { EmptyState } from '~/ui/EmptyState'
import { Page } from '~/ui/Page'
import { ClinicSelect } from '../ClinicSelect'

type Named = { id: string; name: string }
type Props = { actor: Actor; clinics: readonly Named[]; clinic: Named | undefined }

/**
 * Begins a delivery: which medicine it is. A scanned package answers that, and its batch and
 * expiry.
 */
export function ReceiveAny({ actor, clinics, clinic }: Props) {
  const say = useSay()
  const navigate = useNavigate()
  const [unknown, setUnknown] = useState<string | null>(null)
  const own = clinics.filter(({ id }) => permitsIn(manageStock, actor, id))
  const shown = own.find(({ id }) => id === clinic?.id) ?? own[0]
  const open = (id: string, scanned?: Scanned) =>
    void navigate({
      to: '/app/inventory/clinic-inventory/drug/edit/{-$drugId}',
      params: { drugId: id },
      search: {
        clinic: shown?.id,
        receive: true,
        batch: scanned?.batch ?? undefined,
        expiry: scanned?.expiry ?? undefined,
      },
    })
  return (
    <Page
      narrow
      title="inventory.receive"
      crumbs={[{ label: 'inventory.title', to: '/app/inventory/clinic-inventory' }]}
    >
      {shown ? (
        <Stack>
          <Group gap="xs">
            <ClinicSelect clinics={own} value={shown.id} />
          </Group>
          <DrugPicker
            onChoose={(drug) => open(drug.id)}
            onScan={(scanned) => {
              if (scanned.drug) return open(scanned.drug.id, scanned)
              setUnknown(scanned.barcode)
            }}
          />
          {unknown && (
            <Alert role="alert" color="yellow" variant="light">
              <Stack gap="xs" align="flex-start">
                {say({ key: 'drugs.unknownCode', values: { barcode: unknown } })}
                {isAdmin(actor) && (
                  <LinkButton
                    size="xs"
                    variant="default"
                    to="/app/inventory/drug-catalogue/edit/{-$drugId}"
                    params={{ drugId: 'new' }}
                    search={{ barcode: unknown }}
                  >
                    {say('drugs.add')}
                  </LinkButton>
                )}
              </Stack>
            </Alert>
          )}
        </Stack>
      ) : (
        <EmptyState title="inventory.noClinicToKeep" />
      )}
    </Page>
  )
}
