import { Avatar, Button, Fieldset, FileButton, Group, Stack, Text } from '@mantine/core'
import { IconCamera, IconPhotoUp, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useSay } from '~/shared/say'
import { CameraDialog } from './CameraDialog'
import { type PictureUrl, pictureOfFile, useHasCamera } from './picture'

type Props = { value: PictureUrl | null; onChange: (picture: PictureUrl | null) => void }

/** A photo from the camera or a file, reduced before it is sent. */
export function PhotoInput({ value, onChange }: Props) {
  const say = useSay()
  const [isShooting, setShooting] = useState(false)
  const [isBad, setBad] = useState(false)

  async function choose(file: File | null) {
    if (!file) return
    setBad(false)
    try {
      onChange(await pictureOfFile(file))
    } catch {
      setBad(true)
    }
  }

  return (
    <Fieldset variant="unstyled" legend={say('photos.photo')}>
      <Group align="center" wrap="nowrap">
        <Avatar
          src={value}
          alt={value ? say('photos.photo') : ''}
          size={84}
          radius="md"
          color="sanad"
        />
        <Stack gap={6}>
          <Group gap="xs">
            <TakePhoto onShoot={() => setShooting(true)} onFile={choose} />
            <FileButton accept="image/jpeg,image/png" onChange={choose}>
              {(props) => (
                <Button
                  {...props}
                  size="xs"
                  variant="default"
                  leftSection={<IconPhotoUp size={16} aria-hidden />}
                >
                  {say('photos.choose')}
                </Button>
              )}
            </FileButton>
            {value && (
              <Button
                size="xs"
                variant="default"
                leftSection={<IconTrash size={16} aria-hidden />}
                onClick={() => onChange(null)}
              >
                {say('photos.remove')}
              </Button>
            )}
          </Group>
          {isBad && (
            <Text size="sm" c="var(--mantine-color-error)" role="alert">
              {say('photos.notAPicture')}
            </Text>
          )}
        </Stack>
        {isShooting && (
          <CameraDialog
            onClose={() => setShooting(false)}
            onPicture={(picture) => {
              setShooting(false)
              onChange(picture)
            }}
          />
        )}
      </Group>
    </Fieldset>
  )
}

/**
 * The camera inside the page if the browser allows it, otherwise the phone's camera app, which
 * returns a file.
 */
function TakePhoto({
  onShoot,
  onFile,
}: {
  onShoot: () => void
  onFile: (file: File | null) => void
}) {
  const say = useSay()
  const hasCamera = useHasCamera()
  const icon = <IconCamera size={16} aria-hidden />
  if (hasCamera) {
    return (
      <Button size="xs" variant="default" leftSection={icon} onClick={onShoot}>
        {say('photos.take')}
      </Button>
    )
  }
  return (
    <FileButton accept="image/jpeg,image/png" capture="environment" onChange={onFile}>
      {(props) => (
        <Button {...props} size="xs" variant="default" leftSection={icon}>
          {say('photos.take')}
        </Button>
      )}
    </FileButton>
  )
}
