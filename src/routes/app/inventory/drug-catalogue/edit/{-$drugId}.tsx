import { Button, Menu } from '@mantine/core'
import { IconDotsVertical, IconPackages } from '@tabler/icons-react'
import { createFileRoute, redirect, useRouter } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import { drugName } from '~/features/medicines/drugs/drug'
import { DrugForm } from '~/features/medicines/drugs/DrugForm'
import { DrugMenu } from '~/features/medicines/drugs/DrugMenu'
import { saveAsking } from '~/features/rules/earlier/save-asking'
import { isAdmin } from '~/shared/actor'
import { forbidden } from '~/shared/errors'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { defineSearch, textParam } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { useOwnId } from '~/ui/ownId'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'

const readSearch = defineSearch({ barcode: textParam(64) })

export const Route = createFileRoute('/app/inventory/drug-catalogue/edit/{-$drugId}')({
  // a package that was scanned and is not in the catalogue yet
  validateSearch: readSearch,
  beforeLoad: ({ context, params: { drugId = 'new' } }) => {
    if (isAdmin(context.actor)) return
    if (drugId === 'new') throw forbidden()
    throw redirect({
      to: '/app/inventory/clinic-inventory/drug/edit/{-$drugId}',
      params: { drugId },
      replace: true,
    })
  },
  gcTime: 0,
  loader: async ({ params: { drugId = 'new' } }) =>
    drugId === 'new'
      ? { drug: undefined, id: newId() }
      : { drug: await api.drugs.get({ id: drugId }), id: drugId },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: EditDrugPage,
})

function EditDrugPage() {
  const { drug, id: loaded } = Route.useLoaderData()
  const search = Route.useSearch()
  const { barcode } = search
  const id = useOwnId(loaded, drug ? null : search)
  const say = useSay()
  const router = useRouter()
  const back = () => router.navigate({ to: '/app/inventory/drug-catalogue' })
  return (
    <Page
      narrow
      title={drug ? { text: drugName(drug) } : 'drugs.add'}
      crumbs={[{ label: 'drugs.title', to: '/app/inventory/drug-catalogue' }]}
      actions={
        drug && (
          <>
            <LinkButton
              variant="default"
              leftSection={<IconPackages size={16} aria-hidden />}
              to="/app/inventory/clinic-inventory/drug/edit/{-$drugId}"
              params={{ drugId: id }}
            >
              {say('drugs.stock')}
            </LinkButton>
            <Menu position="bottom-end">
              <Menu.Target>
                <Button
                  variant="default"
                  px="xs"
                  aria-label={say({ key: 'table.actionsFor', values: { name: drugName(drug) } })}
                >
                  <IconDotsVertical size={16} aria-hidden />
                </Button>
              </Menu.Target>
              <Menu.Dropdown>
                <DrugMenu drug={drug} onDeleted={() => void back()} />
              </Menu.Dropdown>
            </Menu>
          </>
        )
      }
    >
      <DrugForm
        key={id}
        drug={drug}
        barcode={barcode}
        cancel={
          <LinkButton variant="default" to="/app/inventory/drug-catalogue">
            {say('common.cancel')}
          </LinkButton>
        }
        onSubmit={async (values) => {
          await saveAsking((confirmed) =>
            api.drugs.save({ id, last_modified: drug?.last_modified, ...values, confirmed }),
          )
          await router.invalidate()
          await back()
        }}
      />
    </Page>
  )
}
