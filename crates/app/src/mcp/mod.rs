//! The MCP server: five tools for the memory of one chat, on stdin and stdout and over HTTP. The connection determines
//! the chat; the model may name another only if the connection allows it.

mod call;
mod connection;
mod http;
mod stdio;
pub mod tools;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use throughline_engine::tools::instructions;

use self::call::{Answer, call};
use self::connection::Connection;
use self::tools::MemoryTool;
pub use self::{http::routes, stdio::run};

/// Clients that show the JSON document to the model instead of the text, and thereby stored words without the fence.
/// They get only the text.
const TEXT_ONLY: [&str; 2] = ["claude-code", "codex-mcp-client"];

/// The server of one stdio connection, or of all HTTP connections.
#[derive(Clone)]
struct Server {
    connection: Connection,
}

impl Server {
    /// A tool by its name, if the connection offers it.
    fn tool(&self, name: &str) -> Option<MemoryTool> {
        name.parse().ok().filter(|tool| self.connection.offers(*tool))
    }

    async fn answer(
        &self,
        tool: MemoryTool,
        mut arguments: JsonObject,
        context: &RequestContext<RoleServer>,
    ) -> Result<Answer, String> {
        let scope = self.connection.scope(&mut arguments, &context.extensions).await?;
        call(tool, &arguments.into(), &scope).await
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let itself = Implementation::new("throughline", env!("CARGO_PKG_VERSION")).with_title("Throughline");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(itself)
            .with_instructions(instructions())
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let offered = MemoryTool::all().filter(|tool| self.connection.offers(*tool));
        let mut tools: Vec<Tool> = offered.map(|tool| tool.definition(self.connection.naming())).collect();
        if !takes_documents(&context) {
            tools.iter_mut().for_each(|tool| tool.output_schema = None);
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.tool(name).map(|tool| tool.definition(self.connection.naming()))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tool(&request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool {:?}", request.name), None));
        };
        let arguments = request.arguments.unwrap_or_default();
        let answered = tokio::select! {
            answered = self.answer(tool, arguments, &context) => answered,
            // Nobody reads the answer to a cancelled call.
            () = context.ct.cancelled() => Err("the call was cancelled".to_owned()),
        };
        let result = match answered {
            Ok(Answer { text, document }) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                result.structured_content = Some(document).filter(|_| takes_documents(&context));
                result
            }
            Err(why) => CallToolResult::error(vec![ContentBlock::text(why)]),
        };
        Ok(result.into())
    }
}

fn takes_documents(context: &RequestContext<RoleServer>) -> bool {
    context.client_info().is_none_or(|client| !TEXT_ONLY.contains(&client.name.as_str()))
}
