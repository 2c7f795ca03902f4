-- Names of the stored files that records refer to (src/server/storage.server.ts). A photo that is
-- stored on a phone only is not among them.
create view stored_files as
  select format('photos/%s.jpg', right(photo_url, 36)) as name from patients
  where photo_url ~ '^/api/photos/[\da-f-]{36}\?v=[\da-f-]{36}$'
  union
  select format('event-files/%s.%s', id,
    case mime_type when 'image/png' then 'png' when 'image/jpeg' then 'jpg' else 'pdf' end)
  from event_files;
