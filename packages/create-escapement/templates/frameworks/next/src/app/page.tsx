export default function Page() {
  return <p>The API of the workflows is at /api/workflows.</p>;
}
