//! Reading lists to their end.

use serde_json::{Value, json};

use super::call::Access;
use super::client::Client;
use super::error::GithubError;
use super::graphql::ApiError;
use super::parse::{Connection, RawComment, read};
use super::queries::{MORE_COMMENTS, MORE_THREAD_COMMENTS, Operation};
use super::transport::{Request, Response};
use crate::model::feedback::Comment;

/// More pages than any pull request has; a server that never ends its list is an error.
const MAX_PAGES: usize = 500;

/// A whole list, and what GitHub kept back of it.
pub(super) struct List<T> {
    pub items: Vec<T>,
    /// In a reader's words.
    pub gaps: Vec<String>,
    /// Some entries were refused, which is more than entries of blocked users that are counted and not shown.
    pub withheld: bool,
}

impl<T> List<T> {
    /// The list, where nothing less will do: before a write, and to see whether the last one took.
    pub fn whole(self, what: &str) -> Result<Self, GithubError> {
        match self.gaps.first().filter(|_| self.withheld) {
            Some(gap) => Err(GithubError::bad(what, gap.clone())),
            None => Ok(self),
        }
    }
}

/// The list that is read on.
pub(super) struct More<'a> {
    pub operation: &'a Operation,
    /// What the entries are called, for gaps.
    pub noun: &'a str,
    /// Page sizes to try, largest first.
    pub sizes: &'a [u32],
}

/// A page, and the errors that came with it.
type Page<T> = (Connection<T>, Vec<ApiError>);

/// Reads from `first` to the end with `next`, which gets a cursor.
pub(super) fn to_the_end<T>(
    what: &str,
    noun: &str,
    first: Page<T>,
    mut next: impl FnMut(&str) -> Result<Page<T>, GithubError>,
) -> Result<List<T>, GithubError> {
    let mut list = List { items: Vec::new(), gaps: Vec::new(), withheld: false };
    let ((mut page, mut errors), mut cursor) = (first, None);
    for _ in 0..MAX_PAGES {
        let given = page.nodes.len() as u64;
        let before = list.items.len();
        list.items.extend(page.nodes.into_iter().flatten());
        let withheld = given - (list.items.len() - before) as u64;
        if withheld > 0 {
            let why = errors.first().map_or_else(|| "no reason given".to_owned(), ApiError::text);
            list.withheld = true;
            list.gaps.push(format!("GitHub withheld {withheld} of the {noun}: {why}"));
        }
        if !page.page_info.has_next_page {
            return complete(what, noun, list, page.total_count);
        }
        let end = page.page_info.end_cursor;
        let Some(end) = end.filter(|end| cursor.as_ref() != Some(end)) else {
            return Err(GithubError::bad(what, format!("the list of {noun} goes on, but does not say where")));
        };
        (page, errors) = next(&end)?;
        cursor = Some(end);
    }
    Err(GithubError::bad(what, format!("the list of {noun} does not end")))
}

/// GitHub counts some entries that it does not show (of blocked users); but a list that should have
/// entries and shows none is no answer.
fn complete<T>(what: &str, noun: &str, mut list: List<T>, total: u64) -> Result<List<T>, GithubError> {
    let read = list.items.len() as u64;
    if read == 0 && total > 0 {
        return Err(GithubError::bad(what, format!("there should be {total} {noun}, but none came")));
    }
    if read < total && list.gaps.is_empty() {
        list.gaps.push(format!("GitHub counts {total} {noun}, but showed {read}"));
    }
    Ok(list)
}

impl Client {
    /// Reads on after a first page whose node is `id`; the operation calls its list `connection`.
    pub(super) fn read_on<T: serde::de::DeserializeOwned>(
        &self,
        more: &More<'_>,
        id: &str,
        first: Connection<T>,
        errors: Vec<ApiError>,
    ) -> Result<List<T>, GithubError> {
        let what = more.operation.what;
        to_the_end(what, more.noun, (first, errors), |cursor| {
            let (answer, _) = self.graphql_sized(
                more.operation,
                more.sizes,
                |page| json!({"id": id, "after": cursor, "page": page}),
            )?;
            connection(more.operation, &answer.data).map(|page| (page, answer.errors))
        })
    }

    /// The comments of a thread from its first page on.
    pub(super) fn thread_comments(
        &self,
        thread: &str,
        first: Connection<RawComment>,
    ) -> Result<List<Comment>, GithubError> {
        let more = More { operation: &MORE_THREAD_COMMENTS, noun: "comments of a thread", sizes: &[100, 50, 25] };
        self.read_on(&more, thread, first, Vec::new()).map(List::comments)
    }

    /// All comments of a pull request's conversation, by its node id.
    pub(super) fn conversation_of(&self, id: &str) -> Result<Vec<Comment>, GithubError> {
        let sizes = &[100, 50, 25];
        let (answer, _) =
            self.graphql_sized(&MORE_COMMENTS, sizes, |page| json!({"id": id, "after": null, "page": page}))?;
        let first = connection(&MORE_COMMENTS, &answer.data)?;
        let more = More { operation: &MORE_COMMENTS, noun: "conversation comments", sizes };
        self.read_on(&more, id, first, answer.errors)?.whole(MORE_COMMENTS.what).map(|list| list.comments().items)
    }

    /// All pages of a REST list, by their `Link` headers (RFC 8288).
    pub(super) fn rest_pages(&self, path: &str, what: &str) -> Result<Vec<Value>, GithubError> {
        let (mut items, mut page) = (Vec::new(), 1u32);
        loop {
            let separator = if path.contains('?') { '&' } else { '?' };
            let request = Request::get(format!("{path}{separator}per_page=100&page={page}"));
            let response = self.rest(&request, Access::Read, what)?;
            let list: Vec<Value> = serde_json::from_slice(&response.body)
                .map_err(|error| GithubError::bad(what, format!("it is not a list ({error})")))?;
            items.extend(list);
            page += 1;
            if !has_next(&response) {
                return Ok(items);
            }
            if page as usize > MAX_PAGES {
                return Err(GithubError::bad(what, "the list does not end"));
            }
        }
    }
}

impl List<RawComment> {
    pub fn comments(self) -> List<Comment> {
        let items = self.items.into_iter().map(RawComment::comment).collect();
        List { items, gaps: self.gaps, withheld: self.withheld }
    }
}

fn connection<T: serde::de::DeserializeOwned>(
    operation: &Operation,
    data: &Value,
) -> Result<Connection<T>, GithubError> {
    read(&data["node"]["connection"], operation.what)
}

pub(super) fn has_next(response: &Response) -> bool {
    response.header("link").is_some_and(|link| link.contains("rel=\"next\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::github::parse::PageInfo;

    fn page(nodes: Vec<Option<u32>>, total: u64, next: Option<&str>) -> Page<u32> {
        let page_info = PageInfo { has_next_page: next.is_some(), end_cursor: next.map(str::to_owned) };
        (Connection { total_count: total, page_info, nodes }, Vec::new())
    }

    #[test]
    fn a_list_that_should_have_entries_and_shows_none_is_no_answer() {
        let none = to_the_end("read", "reviews", page(vec![], 3, None), |_| unreachable!("there is no next page"));
        assert!(none.is_err_and(|error| error.to_string().contains("should be 3 reviews")));
    }

    #[test]
    fn a_cursor_that_stands_still_ends_in_an_error() {
        let stuck =
            to_the_end("read", "reviews", page(vec![Some(1)], 9, Some("a")), |_| Ok(page(vec![Some(1)], 9, Some("a"))));
        assert!(stuck.is_err());
        let mut lost = page(vec![Some(1)], 9, Some("a"));
        lost.0.page_info.end_cursor = None;
        assert!(to_the_end("read", "reviews", lost, |_| Ok(page(vec![], 9, None))).is_err());
    }

    #[test]
    fn withheld_and_uncounted_entries_are_named() {
        let list =
            to_the_end("read", "reviews", page(vec![Some(1), None], 2, None), |_| Ok(page(vec![], 0, None))).unwrap();
        assert_eq!(list.gaps, ["GitHub withheld 1 of the reviews: no reason given"]);
        let list = to_the_end("read", "reviews", page(vec![Some(1)], 2, None), |_| Ok(page(vec![], 0, None))).unwrap();
        assert_eq!(list.gaps, ["GitHub counts 2 reviews, but showed 1"]);
    }
}
