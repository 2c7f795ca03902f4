import { Group } from '@mantine/core'
import { IconHistory } from '@tabler/icons-react'
import { createFileRoute } from '@tanstack/react-router'
import { LinkButton } from '~/client/links'
import { api } from '~/client/api'
import {
  type DefinitionDraft,
  emptyDefinition,
  translatedName,
} from '~/features/reports/definitions/editor/definition-draft'
import { DefinitionEditor } from '~/features/reports/definitions/editor/DefinitionEditor'
import { isAdmin } from '~/shared/actor'
import { newId } from '~/shared/id'
import { useSay } from '~/shared/say'
import { id, defineSearch } from '~/shared/search-params'
import { asNotFound } from '~/ui/asNotFound'
import { useLive } from '~/ui/live'
import { Page } from '~/ui/Page'
import { PageSkeleton } from '~/ui/PageSkeleton'
import { onlyFor } from '~/ui/onlyFor'

const readSearch = defineSearch({ from: id })

export const Route = createFileRoute('/app/reports/definitions/edit/{-$definitionId}')({
  /** The report that a new one is copied from. */
  validateSearch: readSearch,
  loaderDeps: ({ search }) => search,
  beforeLoad: onlyFor(isAdmin),
  gcTime: 0,
  loader: async ({ params: { definitionId = 'new' }, deps: { from } }) => {
    const isNew = definitionId === 'new'
    const [stored, copied, clinics] = await Promise.all([
      isNew ? undefined : api.reportDefinitions.get({ id: definitionId }),
      isNew && from ? api.reportDefinitions.get({ id: from }) : undefined,
      api.clinics.names({}),
    ])
    return {
      stored,
      copied,
      clinics,
      start: stored
        ? { id: stored.id, body: stored.body, last_modified: stored.last_modified }
        : { id: newId(), body: emptyDefinition() },
    }
  },
  onError: asNotFound,
  pendingComponent: PageSkeleton,
  component: EditorPage,
})

function EditorPage() {
  const { stored, copied, start, clinics } = Route.useLoaderData()
  const { actor, viewer } = Route.useRouteContext()
  const say = useSay()
  useLive('reportDefinitions.get', 'clinics.names')
  const { language } = viewer
  const copyDefinition = (body: DefinitionDraft): DefinitionDraft => ({
    ...body,
    code: '',
    names: {
      ...body.names,
      [language]: say({
        key: 'eventForms.copyOf',
        values: { name: translatedName(body.names, language) },
      }).slice(0, 200),
    },
  })
  return (
    <Page
      title={
        stored ? { text: translatedName(stored.body.names, language) } : 'reportDefinitions.add'
      }
      lead={stored && say({ key: 'eventForms.versionNumber', values: { number: stored.version } })}
      crumbs={[
        { label: 'reports.title', to: '/app/reports' },
        { label: 'reportDefinitions.title', to: '/app/reports/definitions' },
      ]}
      actions={
        stored && (
          <Group gap="xs">
            <LinkButton
              variant="default"
              leftSection={<IconHistory size={16} aria-hidden />}
              to="/app/reports/definitions/versions/$definitionId"
              params={{ definitionId: stored.id }}
            >
              {say('reportDefinitions.versions')}
            </LinkButton>
          </Group>
        )
      }
    >
      <DefinitionEditor
        key={stored?.id ?? copied?.id ?? 'new'}
        start={start}
        suggested={copied && copyDefinition(copied.body)}
        userId={actor.userId}
        language={language}
        clinics={clinics}
        ownClinicId={actor.clinicId}
      />
    </Page>
  )
}
